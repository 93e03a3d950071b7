#!lua flags=no-writes,allow-oom
-- uses: base keep
-- A moment of the whole space. args: none. Guarantee: consistent, changes nothing. Streams only grow and their entries never
-- change, so that they are given as their last id and length, to be read at leisure; print is equal when nothing changed.
local held, streams, print = moment()
return {'ok', 'held', held, 'streams', streams, 'print', print}
