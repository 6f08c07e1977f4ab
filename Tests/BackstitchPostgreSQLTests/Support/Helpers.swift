import Backstitch
import BackstitchSQL
import Foundation

@testable import BackstitchPostgreSQL

extension PostgreSQLStore {
    /// Runs a statement beside the store's own.
    func execute(_ text: String) throws {
        try database.read(isSnapshot: false) { connection in
            var statement = SQLStatement(.postgreSQL, text)
            statement.isAdHoc = true
            _ = try connection.run(statement)
        }
    }

    /// The first column of a query's rows, as text.
    func texts(_ text: String) throws -> [String] {
        try database.read(isSnapshot: false) { connection in
            var statement = SQLStatement(.postgreSQL, text)
            statement.isAdHoc = true
            var texts: [String] = []
            try connection.forEachRow(of: statement) { texts.append($0.text(0)) }
            return texts
        }
    }
}
