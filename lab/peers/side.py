"""The protocol of lab/peers: a side says that it is ready and answers lines of a case and seconds."""

import importlib.metadata
import json
import os
import statistics
import sys
import time


def threads():
    return int(os.environ['OMP_NUM_THREADS'])


def versions(*packages):
    return ', '.join('%s %s' % (p, importlib.metadata.version(p).split('+')[0]) for p in packages)


def say(**answer):
    print(json.dumps(answer), flush=True)


def repeat(seconds, work):
    """Does work at least three times, and for about the given seconds, but only once where once
    takes longer than they are. Returns the median time and the count."""
    took = []
    began, used = time.perf_counter(), time.process_time()
    while len(took) < 3 or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
        if took[0] > seconds:
            break
    return {'wall': statistics.median(took), 'count': len(took), 'cpu': (time.process_time() - used) / len(took)}


def serve(version, reply):
    """Answers lines by reply(words, seconds), which returns the fields of the answer."""
    say(version=version)
    for line in sys.stdin:
        *words, seconds = line.split()
        try:
            say(**reply(words, float(seconds)))
        except Exception as error:  # what a library refuses is its answer
            say(error='%s: %s' % (type(error).__name__, ' '.join(str(error).split())))
