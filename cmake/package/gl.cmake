karst_package(gl karst-gl NEEDS epoxy LINKS karst::karst)
