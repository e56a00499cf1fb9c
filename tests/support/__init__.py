"""What tests are made of: lessons, classes, servers, and the programs that may be missing."""
