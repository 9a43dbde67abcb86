/* The parker's protocol (src/parker/state.rs, slot.rs), every step of it, under sequential
 * consistency: a second checker beside loom, which knows nothing of its futex model.
 *
 * One owner parks, parks with a deadline that may pass at any time, or waits outside and then takes
 * the token, leaves it, or leaks the guard. One side unparks; another defers its wake-up and then
 * pays or forgets it.
 *
 * Claims. A take finds a token exactly if somebody gave one since the last take. When nothing can
 * move any more, the owner does not sleep, nor wait outside unrung, over a token, unless the last
 * one to give it forgot a deferred wake-up.
 *
 * -DBROKEN=n, BROKEN=1..7, breaks it in one place; each must be found.
 *   1 no wake   2 the announcement is a store   3 a deferred token looks like a plain one
 *   4 an outside wait is withdrawn by a store   5 the futex does not compare   6 no ring
 *   7 a park that timed out swallows the token
 */
#ifndef BROKEN
#define BROKEN 0
#endif

#define EMPTY 0
#define NOTIFIED 1
#define PARKED 2
#define WAKE_OWED 3
#define EXTERNAL 4
#define RING_OWED 5
#define has_token(w) (w == NOTIFIED || w == WAKE_OWED || w == RING_OWED)

byte word = EMPTY;
bool asleep = false;   /* queued at the word */
bool outside = false;  /* blocked in the wait outside */
bool rung = false;     /* the event that ends it: stays until it is consumed */
bool given = false;    /* ghost: a token was given since the last take */
bool forgotten = false; /* ghost: the last one to give it forgot the wake-up it owes */

inline give(state) {
  word = state; given = true; forgotten = false
}

inline pay(old) {
  if
  :: (old == PARKED || old == WAKE_OWED) && BROKEN != 1 -> asleep = false
  :: (old == EXTERNAL || old == RING_OWED) && BROKEN != 6 -> rung = true
  :: else
  fi
}

active proctype unparker() {
  byte old; byte calls;
  for (calls : 1 .. 2) {
    atomic { old = word; give(NOTIFIED) }
    pay(old)
  }
}

active proctype deferring() {
  byte old; byte new; byte calls; bool forget;
  for (calls : 1 .. 2) {
    old = word;
retry:
    if
    :: BROKEN == 3 -> new = NOTIFIED
    :: BROKEN != 3 && (old == PARKED || old == WAKE_OWED) -> new = WAKE_OWED
    :: BROKEN != 3 && (old == EXTERNAL || old == RING_OWED) -> new = RING_OWED
    :: else -> new = NOTIFIED
    fi;
    if :: forget = false :: forget = true fi;
    atomic {
      if
      :: word == old ->
           give(new);
           forgotten = forget && old != EMPTY && old != NOTIFIED
      :: else -> old = word; goto retry
      fi
    }
    if :: forget :: else -> pay(old) fi
  }
}

inline take(found) {
  atomic {
    found = has_token(word);
    assert(found == given);
    word = EMPTY; given = false
  }
}

/* Writes `state` unless a token is there. */
inline announce(state, done) {
  done = false;
  old = word;
  do
  :: has_token(old) || done -> break
  :: else ->
       if
       :: BROKEN == 2 -> word = state; done = true
       :: else -> atomic { if :: word == old -> word = state; done = true :: else -> old = word fi }
       fi
  od
}

active proctype owner() {
  byte old; byte rounds; bool ok; bool token; bool timed; bool late;
  for (rounds : 1 .. 3) {
    late = false;
    if :: timed = false :: timed = true fi;
    if
    :: /* park */
       take(token);
       if
       :: token
       :: else ->
            announce(PARKED, ok);
            do
            :: !ok -> break
            :: else ->
                 atomic { if :: word == PARKED || BROKEN == 5 -> asleep = true :: else fi }
end_asleep:      if
                 :: !asleep
                 :: timed -> asleep = false; late = true
                 fi;
                 ok = !late && !has_token(word)
            od;
            if
            :: BROKEN == 7 && late -> word = EMPTY
            :: else -> take(token)
            fi
       fi
    :: /* wait outside */
       announce(EXTERNAL, ok);
       if
       :: ok ->
            outside = true;
end_outside: if
            :: rung -> rung = false
            :: timed /* something else ended that wait */
            fi;
            outside = false;
            if
            :: take(token)
            :: atomic { if :: word == EXTERNAL || BROKEN == 4 -> word = EMPTY :: else fi }
            :: true /* leaked */
            fi
       :: else -> take(token)
       fi
    fi
  }
}

/* Runs when nothing else can. */
active proctype quiescent() {
end_quiescent:
  timeout;
  assert(!(asleep && has_token(word) && !forgotten));
  assert(!(outside && !rung && has_token(word) && !forgotten))
}
