// Keeps an open table's page up to date. The page reads whole without it; every fragment comes rendered from the server.
"use strict";
(() => {
  const page = document.getElementById("page");
  const rounds = document.getElementById("rounds");
  const base = `/t/${page.dataset.table}`;
  let head = Number(page.dataset.head);
  let stream = null;

  // ---- messages -------------------------------------------------------------------------------------------------

  const fragment = (html) => {
    const box = document.createElement("template");
    box.innerHTML = html;
    return box.content;
  };
  const seqOf = (article) => Number(article.dataset.seq);

  function roundFor(number, seq) {
    const known = document.getElementById(`round-${number}`);
    if (known) return known;
    const made = document.createElement("details");
    made.className = "round";
    made.id = `round-${number}`;
    made.open = true;
    made.dataset.first = made.dataset.last = String(seq);
    made.append(document.createElement("summary"));
    const later = [...rounds.children].find((one) => Number(one.dataset.first) > seq);
    rounds.insertBefore(made, later || null);
    return made;
  }

  function place(article) {
    const seq = seqOf(article);
    if (document.getElementById(article.id)) return null;
    const round = roundFor(article.dataset.round, seq);
    const after = [...round.querySelectorAll(":scope > article")].find((one) => seqOf(one) > seq);
    round.insertBefore(article, after || null);
    round.dataset.first = String(Math.min(Number(round.dataset.first), seq));
    round.dataset.last = String(Math.max(Number(round.dataset.last), seq));
    return round;
  }

  function gap(from, to) {
    const made = document.createElement("p");
    made.className = "gap";
    const link = document.createElement("a");
    link.href = `?at=${from}#m${from}`;
    link.dataset.from = String(from);
    link.dataset.to = String(to);
    link.textContent = from === to ? `m${from}` : `m${from}–m${to}`;
    made.append(link);
    return made;
  }

  function tidy(round) {
    round.querySelectorAll(":scope > .gap").forEach((one) => one.remove());
    const { first, last } = round.dataset;
    const summary = round.querySelector(":scope > summary");
    const span = document.createElement("span");
    span.className = "span";
    span.textContent = first === last ? `m${first}` : `m${first}–m${last}`;
    summary.replaceChildren(`Round ${round.id.slice(6)} `, span);
    let next = Number(first);
    for (const article of round.querySelectorAll(":scope > article")) {
      if (seqOf(article) > next) round.insertBefore(gap(next, seqOf(article) - 1), article);
      next = seqOf(article) + 1;
    }
    if (next <= Number(last)) round.append(gap(next, Number(last)));
  }

  function add(content, fresh) {
    const touched = new Set();
    for (const article of [...content.querySelectorAll("article")]) {
      local(article);
      if (fresh) article.classList.add("fresh");
      touched.add(place(article));
      head = Math.max(head, seqOf(article));
    }
    touched.delete(null);
    touched.forEach(tidy);
  }

  async function load(from, to) {
    const answer = await fetch(`${base}/messages?from=${from}&to=${to}`, { headers: { Accept: "text/html" } });
    if (answer.ok) add(fragment(await answer.text()), false);
  }

  // ---- links to messages ----------------------------------------------------------------------------------------

  async function reach(seq, focus) {
    if (!document.getElementById(`m${seq}`)) await load(Math.max(1, seq - 10), seq + 40);
    const article = document.getElementById(`m${seq}`);
    if (!article) return;
    const round = article.closest("details.round");
    if (round) round.open = true;
    document.querySelectorAll(".reached").forEach((one) => one.classList.remove("reached"));
    article.classList.add("reached");
    article.scrollIntoView({ block: "start" });
    if (focus) article.focus({ preventScroll: true });
  }

  const wanted = () => /^#m([1-9]\d{0,15})$/.exec(location.hash);
  addEventListener("hashchange", () => wanted() && reach(Number(wanted()[1]), true));

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    if (link.dataset.from) {
      event.preventDefault();
      const from = Number(link.dataset.from), to = Number(link.dataset.to);
      const below = link.closest(".gap").previousElementSibling.tagName === "ARTICLE";
      const start = below ? from : Math.max(from, to - 99);
      load(start, Math.min(to, start + 99));
      return;
    }
    const here = /^(?:\?at=\d+)?#m([1-9]\d{0,15})$/.exec(link.getAttribute("href"));
    if (!here) return;
    event.preventDefault();
    if (location.hash === `#m${here[1]}`) reach(Number(here[1]), true);
    else location.hash = `m${here[1]}`;
  });

  // ---- the other parts ------------------------------------------------------------------------------------------

  const shown = new Map();
  function update(html) {
    for (const part of [...fragment(html).children]) {
      const old = document.querySelector(`[data-part="${part.dataset.part}"]`);
      if (!old || shown.get(part.dataset.part) === part.innerHTML) continue;
      const busy = old.contains(document.activeElement) && document.activeElement !== document.body;
      if (busy && part.childElementCount) continue; // somebody reads or writes just there; the next change comes through
      shown.set(part.dataset.part, part.innerHTML);
      const folds = new Map([...old.querySelectorAll("details[id]")].map((one) => [one.id, one.open]));
      part.querySelectorAll("details[id]").forEach((one) => {
        if (folds.has(one.id)) one.open = folds.get(one.id);
      });
      local(part);
      old.replaceChildren(...part.childNodes);
    }
  }

  function local(root) {
    root.querySelectorAll("time[datetime]").forEach((one) => {
      const at = new Date(one.dateTime);
      const today = at.toDateString() === new Date().toDateString();
      const how = { hour: "2-digit", minute: "2-digit" };
      one.title = one.dateTime;
      one.textContent = today ? at.toLocaleTimeString([], how) : at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    });
    root.querySelectorAll("[data-left]").forEach((one) => {
      one.dataset.until = String(performance.now() + Number(one.dataset.left) * 1000);
    });
  }

  function tick() {
    document.querySelectorAll("[data-until]").forEach((one) => {
      const left = Math.max(0, Math.round((Number(one.dataset.until) - performance.now()) / 1000));
      one.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
    });
  }

  // ---- live -----------------------------------------------------------------------------------------------------

  const notice = document.getElementById("connection");
  function tell(text) {
    if (notice.textContent !== text) notice.textContent = text;
    notice.hidden = !text;
  }

  let heard = [];
  function announce(article) {
    heard.push(`${article.querySelector("h3").textContent.trim()}, m${article.dataset.seq}`);
    if (heard.length > 1) return;
    setTimeout(() => {
      document.getElementById("announce").textContent = heard.length > 3 ? `${heard.length} new messages` : heard.join("; ");
      heard = [];
    }, 400);
  }

  function connect() {
    if (stream) stream.close();
    stream = new EventSource(`${base}/events?after=${head}`);
    stream.addEventListener("message", (event) => {
      const content = fragment(event.data);
      const article = content.querySelector("article");
      const bottom = innerHeight + scrollY >= document.documentElement.scrollHeight - 120;
      if (article) announce(article);
      add(content, true);
      if (bottom && article && document.activeElement.tagName !== "TEXTAREA") article.scrollIntoView({ block: "end" });
    });
    stream.addEventListener("parts", (event) => update(event.data));
    stream.addEventListener("notice", (event) => tell(event.data));
    stream.addEventListener("again", () => location.reload());
    stream.addEventListener("open", () => tell(""));
    stream.addEventListener("error", () => {
      const over = stream.readyState === EventSource.CLOSED;
      tell(over ? "This page is no longer connected. Open the link that rt web prints now." : "Not connected; trying again.");
    });
  }

  // A browser opens few connections to one place: a page that nobody sees gives its own up.
  document.addEventListener("visibilitychange", () => {
    if (page.dataset.live !== "yes") return;
    if (document.hidden) {
      if (stream) stream.close();
      stream = null;
    } else if (!stream) connect();
  });
  addEventListener("pagehide", () => stream && stream.close());

  // ---- speaking and deciding ------------------------------------------------------------------------------------

  async function send(form, more) {
    const body = new URLSearchParams(new FormData(form));
    for (const [name, value] of Object.entries(more)) body.set(name, value);
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
    const found = await answer.json().catch(() => ({}));
    return answer.ok ? found : { message: found.message || `refused (${answer.status})` };
  }

  const say = document.getElementById("say");
  if (say) {
    const said = document.getElementById("said");
    const button = say.querySelector("button");
    say.addEventListener("submit", async (event) => {
      event.preventDefault();
      button.disabled = true;
      said.textContent = "";
      try {
        const found = await send(say, {});
        said.textContent = found.text || found.message;
        if (found.seq) {
          say.elements.text.value = "";
          say.elements.key.value = found.key;
        }
      } catch {
        said.textContent = "Not sent: rt web does not answer. Your words are still here.";
      }
      button.disabled = false;
    });
    say.elements.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) say.requestSubmit();
    });
  }

  document.addEventListener("submit", async (event) => {
    if (!event.target.matches("form.decide")) return;
    event.preventDefault();
    try {
      const found = await send(event.target, { choice: event.submitter ? event.submitter.value : "" });
      document.getElementById("announce").textContent = found.text || found.message;
      if (!found.text) tell(found.message);
    } catch {
      tell("Not sent: rt web does not answer.");
    }
  });

  // ---- begin ----------------------------------------------------------------------------------------------------

  local(document);
  setInterval(tick, 1000);
  rounds.addEventListener("toggle", (event) => {
    const round = event.target;
    if (round.open && !round.querySelector(":scope > article")) {
      const from = Number(round.dataset.first);
      load(from, Math.min(Number(round.dataset.last), from + 99));
    }
  }, true);
  if (wanted()) reach(Number(wanted()[1]), false);
  if (page.dataset.live === "yes" && !document.hidden) connect();
})();
