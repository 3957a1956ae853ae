"""Items of an activity that are checked one by one."""
