"""Keep a folder in an object store or on HDFS, and a working copy of it on this machine."""
