karst_package(author karst-author NEEDS sqlite3 gdal assimp LINKS karst::karst)
