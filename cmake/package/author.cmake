karst_package(author karst-author NEEDS sqlite3 gdal LINKS karst::karst)
