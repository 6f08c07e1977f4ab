// Depends on every product that the documentation imports: `DocumentationTests` compiles and links its programs as this
// one was.

import Backstitch
import BackstitchMacros
import BackstitchPostgreSQL
import BackstitchSQLite
import BackstitchSync
import BackstitchTestKit
import JSONFileStore

print(ManagedObjectModel([]).entities.count)
