/* The lanes' sleep and strike handshakes (src/basket/queue/lanes) on a machine with store buffers: each
 * thread's plain stores wait in a queue of its own and reach memory in order, some time later; a thread
 * reads its own newest store. The drainer's barrier is the process-wide one: at some moment between its
 * start and its end it empties the offerer's buffer, while the offerer goes on. This is what loom cannot
 * express.
 *
 * One offerer has a lane that is listed and offers twice; the drainer sleeps when it finds nothing, and
 * doubts and strikes the lane off in any of its sleeps, and before any of them asks for fences in place of
 * its barrier, or goes back to that; either may be so from the start. A read-modify-write empties the
 * buffer first.
 *
 * Claims. When nothing can move any more, every item was taken, or the drainer is not asleep; and an
 * item that the drainer took was written (its data store was not behind its publish).
 *
 * -DBROKEN=n, BROKEN=1..10, breaks it in one place; each must be found.
 *   1 no heavy barrier in the drainer   2 the look comes before the barrier   3 the flag is raised after it
 *   4 the offerer looks at the flag before it publishes   5 it looks at the listing before it begins
 *   6 a busy lane is struck off   7 a lane is struck off although its offerer has listed it again
 *   8 fences are asked for without a last barrier   9 an offer that is asked makes none after publishing
 *   10 a lane is struck off behind fences, which may be given up in between
 */
#ifndef BROKEN
#define BROKEN 0
#endif

#define LISTED 0
#define DOUBTED 1
#define UNLISTED 2

#define OFFERS 2

/* Memory. Only the offerer stores plainly (progress, data); flags and listing are changed by RMW only. */
byte data = 0;      /* how many items are written */
byte published = 0; /* `progress`, and its flag below */
bool busy = false;
bool asleep = false;
bool fenced = false; /* FENCE: in the same word as `asleep` */
bool begun = false;  /* ... and it may be up from the start */
byte listing = LISTED;
bool entered = false;
bool token = false;

/* The offerer's store buffer: a value of `data`, or of `progress`. */
#define DATA 0
#define PROGRESS 1
chan buffer = [4] of { byte, byte, bool };

inline drain_one() {
  byte kind; byte value; bool flag;
  buffer ? kind, value, flag;
  if
  :: kind == DATA -> data = value
  :: else -> published = value; busy = flag
  fi
}

/* A full barrier, or the first half of a read-modify-write, on the offerer's CPU. */
inline flush() {
  atomic { do :: nempty(buffer) -> drain_one() :: empty(buffer) -> break od }
}

/* The machine empties the buffer when it likes. */
active proctype memory() {
end_memory:
  do
  :: atomic { nempty(buffer) -> drain_one() }
  od
}

active proctype offerer() {
  byte n; bool seen; bool asked; byte was;
  begun;
  for (n : 1 .. OFFERS) {
    /* begin() */
    if
    :: BROKEN != 5 -> buffer ! PROGRESS, n - 1, true; was = listing
    :: else -> was = listing; buffer ! PROGRESS, n - 1, true
    fi;
    /* asked for fences: one here, and another look */
    if
    :: fenced -> flush(); if :: BROKEN != 5 -> was = listing :: else fi
    :: else
    fi;
    /* list(): an RMW */
    if
    :: was != LISTED ->
         flush();
         atomic { was = listing; listing = LISTED };
         if :: was == UNLISTED -> entered = true :: else fi
    :: else
    fi;
    if :: BROKEN == 4 -> seen = asleep :: else fi;
    /* publish() */
    buffer ! DATA, n, false;
    buffer ! PROGRESS, n, false;
    /* light barrier: the compiler's only */
    if
    :: BROKEN != 4 -> atomic { seen = asleep; asked = fenced }
    :: else -> asked = false
    fi;
    if
    :: asked && BROKEN != 9 -> flush(); seen = asleep
    :: else
    fi;
    if
    :: seen ->
         /* lower(): an RMW */
         flush();
         atomic { seen = asleep; asleep = false };
         if :: seen -> token = true :: else fi
    :: else
    fi
  }
}

inline look() {
  if
  :: atomic { entered -> entered = false; have = true }
  :: else
  fi;
  if
  :: have -> new = published; assert(data >= new)
  :: else -> new = taken
  fi
}

inline heavy() {
  if
  :: BROKEN == 1 || (fenced && (!doubted || BROKEN == 10)) /* a fence of its own is nothing here */
  :: else -> flush() /* at some moment between begin and end of the call */
  fi
}

byte taken = 0;
bool waits = false;
bool done = false;

active proctype drainer() {
  byte new; bool have = true; bool doubted; bool quiet;
  if :: fenced = true :: true fi;
  begun = true;
  do
  :: taken == OFFERS -> break
  :: else ->
       look();
       if
       :: new > taken -> taken = new; if :: fenced = false :: true fi
       :: else ->
            /* who pays: asked for before a sleep, given up there, or at a look that found something */
            if
            :: !fenced -> fenced = true; if :: BROKEN != 8 -> flush() :: else fi
            :: fenced -> fenced = false
            :: true
            fi;
            /* arm(): the raise is an RMW; the drainer's own stores are never buffered */
            if :: BROKEN != 3 -> asleep = true :: else fi;
            doubted = false;
            if
            :: have -> if :: atomic { listing == LISTED -> listing = DOUBTED; doubted = true } :: true fi
            :: else
            fi;
            if :: BROKEN == 2 -> look(); heavy() :: else -> heavy(); look() fi;
            if :: BROKEN == 3 -> asleep = true :: else fi;
            if :: new > taken -> fenced = false :: true fi;
            /* strike() */
            if
            :: doubted ->
                 atomic { quiet = (published == taken && !busy) };
                 if :: BROKEN == 6 -> quiet = (new == taken) :: else fi;
                 atomic {
                   if
                   :: listing == DOUBTED || BROKEN == 7 ->
                        if :: quiet -> listing = UNLISTED; have = false :: else -> listing = LISTED fi
                   :: else
                   fi
                 }
            :: else
            fi;
            if
            :: new > taken -> asleep = false; taken = new
            :: else ->
                 waits = true;
end_asleep:      atomic { (token || !asleep) -> token = false; asleep = false; waits = false }
            fi
       fi
  od;
  done = true
}

/* Runs when nothing else can. */
active proctype quiescent() {
end_quiescent:
  timeout;
  assert(done)
}
