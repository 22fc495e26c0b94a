"""What could take our process down with it, in a process of its own: a suite's code, a damaged file.

`process` is our side. `child` is the other side; it and what it runs import nothing of ours, so that a child
starts in a twentieth of a second.
"""
