import BackstitchSupport
import Foundation

/// The store types of the program, by name.
///
/// A type is found when it was registered, or when it is linked and named by the convention that the type `X` is the
/// class `XStore` of the module `BackstitchX`: so depending on the product `BackstitchSQLite` is enough for the type
/// `"SQLite"`.
public enum StoreRegistry {
    private static let types = Locked<[String: any PersistentStore.Type]>([:])

    /// Makes a store type known under its name. A later registration of the same name replaces the former.
    public static func register(_ type: any PersistentStore.Type) {
        types.withLock { $0[type.typeName] = type }
    }

    /// The store type of that name.
    ///
    /// - Throws: ``BackstitchError/Code/unknownStoreType`` when it is neither registered nor linked.
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

    /// The types of this package's own products, for hints: they are known only once somebody has asked for them.
    private static let usual = ["PostgreSQL", "SQLite", "Sync"]
}
