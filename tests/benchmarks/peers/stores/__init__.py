"""One module for each library: how it is opened, and how its own documentation has it used."""
