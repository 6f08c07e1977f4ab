import BackstitchSQL

/// Server-to-server keys and declared containers.
extension ZoneSnapshot {
    fileprivate static let columns = "id, public_key, account, containers, label, created, expires"

    private static func key(_ row: any SQLRow) -> StoredServerKey {
        StoredServerKey(
            id: row.text(0), publicKey: row.text(1), account: row.text(2),
            // Names of containers have no spaces, so a space separates them.
            containers: row.text(3).split(separator: " ").map(String.init), label: row.text(4), created: row.int(5),
            expires: row.int(6))
    }

    /// The server-to-server key with this id.
    func serverKey(_ id: String) throws -> StoredServerKey? {
        try one("SELECT \(names: Self.columns) FROM server_key WHERE id = \(id)", Self.key)
    }

    /// The ids of server-to-server keys.
    func serverKeyIDs(limit: Int) throws -> [String] {
        try all("SELECT id FROM server_key ORDER BY id LIMIT \(limit)") { $0.text(0) }
    }

    /// A page of server-to-server keys in the order of their ids, after `id`.
    func serverKeys(after id: String, limit: Int) throws -> [StoredServerKey] {
        try all(
            "SELECT \(names: Self.columns) FROM server_key WHERE id > \(id) ORDER BY id LIMIT \(limit)", Self.key)
    }

    /// The number of server-to-server keys in the storage.
    func serverKeyCount() throws -> Int { try one("SELECT count(*) FROM server_key") { Int($0.int(0)) } ?? 0 }

    /// The declared containers in the order of their names.
    func declaredContainers() throws -> [StoredContainer] {
        try all("SELECT name, label, created FROM container ORDER BY name") {
            StoredContainer(name: $0.text(0), label: $0.text(1), created: $0.int(2))
        }
    }
}

/// The writes of keys and containers.
extension ZoneTransaction {
    /// Adds a server-to-server key, which belongs to an account.
    func insert(_ key: StoredServerKey) throws {
        try execute(
            """
            INSERT INTO server_key (\(names: Self.columns))
            VALUES (\(key.id), \(key.publicKey), \(key.account), \(key.containers.joined(separator: " ")), \(key.label),
                \(key.created), \(key.expires))
            """)
    }

    /// Removes a server-to-server key; false if there was none.
    func removeServerKey(_ id: String) throws -> Bool {
        try execute("DELETE FROM server_key WHERE id = \(id)") == 1
    }

    /// Declares a container, so that servers accept it.
    func insert(_ container: StoredContainer) throws {
        try execute(
            """
            INSERT INTO container (name, label, created)
            VALUES (\(container.name), \(container.label), \(container.created))
            """)
    }

    /// Removes the declaration of a container; false if it was not declared.
    func removeContainer(_ name: String) throws -> Bool {
        try execute("DELETE FROM container WHERE name = \(name)") == 1
    }
}
