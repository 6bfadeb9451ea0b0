"""Offer the questions to agents as tools of the Model Context Protocol (MCP).

The agent's program starts a process that runs the MCP server of the SDK. This process asks the warm
server over HTTP.
"""
