karst_package(karst karst NEEDS libzstd LINKS Threads::Threads m)
