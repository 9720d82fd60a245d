"""python -m hinge COMMAND [flags]: the commands of Hinge."""

import os
import subprocess
import sys

from . import program


def main(args):
    names = program.commands()
    if not args or args[0] not in names:
        if args and args[0] not in ('-h', '-help', '--help'):
            print('hinge: there is no command %r' % args[0], file=sys.stderr)
        print('python -m hinge COMMAND [flags]\n\ncommands: %s; COMMAND -h lists flags' % (', '.join(names) or 'none is installed'), file=sys.stderr)
        return 2
    path = program.find(args[0])
    if os.name == 'posix':
        sys.stdout.flush()
        os.execv(path, [path] + args[1:])
    return subprocess.call([path] + args[1:])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
