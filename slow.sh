#!/bin/sh
cat >/dev/null
while [ ! -e /work/main/go ]; do sleep 0.05; done
echo '## Position'; echo 'Slowly.'
