"""The questions as tools of agents, by the Model Context Protocol.

A process of the agent's program runs the SDK's server, and asks the warm server over HTTP.
"""
