import Backstitch
import BackstitchPostgreSQL
import BackstitchSQLite
import Foundation
import Hummingbird

/// Serves todos over HTTP. `DATABASE_URL` names the store: `postgres://…`, or the path of a SQLite file.
@main
struct TodoServer {
    static func main() async throws {
        let environment = Environment()
        let store = store(at: environment.get("DATABASE_URL") ?? "todos.sqlite")
        let container = try PersistentContainer(model: .todos, store: store)
        let application = Application(
            router: Routes(container: container).router(),
            configuration: .init(
                address: .hostname(
                    environment.get("HOST") ?? "127.0.0.1", port: environment.get("PORT", as: Int.self) ?? 8080)),
            onServerRunning: { channel in
                // It does not use `print`, which buffers its output.
                FileHandle.standardOutput.write(Data("listening on port \(channel.localAddress?.port ?? 0)\n".utf8))
            })
        try await application.runService()
        try container.close()
    }

    /// Returns the store's description: the only place with knowledge of databases.
    private static func store(at address: String) -> PersistentStoreDescription {
        if let url = URL(string: address), ["postgres", "postgresql"].contains(url.scheme) {
            return PersistentStoreDescription(type: .postgreSQL, url: url)
        }
        return PersistentStoreDescription(type: .sqlite, url: URL(fileURLWithPath: address))
    }
}
