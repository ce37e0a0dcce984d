module memory-stack/testbed/pause

go 1.26.0
