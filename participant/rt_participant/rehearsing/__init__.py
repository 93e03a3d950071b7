"""Forms that a scripted seat can fill in, one module each: `reply(prompt, behaviour)` gives the whole answer."""
