import BackstitchSupport
import Foundation

/// The store types of the program, by name.
///
/// A type is found if it was registered, or if it is linked and follows the naming convention. By the convention, type
/// `X` is the class `XStore` of the module `BackstitchX`. So depending on the product `BackstitchSQLite` is enough for
/// the type `"SQLite"`.
public enum StoreRegistry {
    private static let types = Locked<[String: any PersistentStore.Type]>([:])

    /// Registers a store type under its name. It replaces an earlier one of the same name.
    public static func register(_ type: any PersistentStore.Type) {
        types.withLock { $0[type.typeName] = type }
    }

    /// Returns the store type of this name.
    ///
    /// - Throws: ``BackstitchError/Code/unknownStoreType`` if it is neither registered nor linked.
    public static func type(named name: String) throws -> any PersistentStore.Type {
        if let type = types.withLock({ $0[name] }) { return type }
        if let type = NSClassFromString("Backstitch\(name).\(name)Store") as? any PersistentStore.Type {
            register(type)
            return type
        }
        throw unknown(name)
    }

    private static func unknown(_ name: String) -> BackstitchError {
        let known = types.withLock { $0.keys.sorted() }
        if let meant = NearNames.near(name, among: Set(known).union(usual).sorted()).first(where: { $0 != name }) {
            return BackstitchError(
                .unknownStoreType,
                "there is no store type \"\(name)\"; did you mean \"\(meant)\"? It comes with the product Backstitch\(meant)",
                key: name)
        }
        return BackstitchError(
            .unknownStoreType,
            "there is no store type \"\(name)\" (known so far: \(known.isEmpty ? "none" : known.joined(separator: ", "))); add the "
                + "product Backstitch\(name) to the target's dependencies and import it, or call StoreRegistry.register(_:)",
            key: name)
    }

    /// The types of this package's own products, for hints: they are registered only when they are first requested.
    private static let usual = ["PostgreSQL", "SQLite", "Sync"]
}
