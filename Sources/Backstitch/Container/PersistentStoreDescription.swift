public import Foundation

/// The description of a store that a container opens: its type, place and options.
///
/// ```swift
/// .init(type: .sqlite, url: file)
/// .init(type: .sync, url: directory, options: [.syncServerURL: "http://127.0.0.1:8080"])
/// ```
public struct PersistentStoreDescription: Sendable {
    /// The type of the store, such as `.sqlite`.
    public var type: StoreType
    /// The file, folder or server, as the type needs it; nil for a store in memory.
    public var url: URL?
    /// The options. The documentation of each type names the options it takes.
    public var options: [StoreOption: any Sendable]
    /// The configuration of the model whose entities the store holds (see ``ManagedObjectModel/configurations``); nil
    /// for all entities.
    ///
    /// With several stores, a fetch returns objects of all of them. A new object goes to the store it was assigned to
    /// (``ManagedObjectContext/assign(_:to:)``). Otherwise it goes to the store of its parent
    /// (``EntityDescription/parent(_:)``). Otherwise it goes to the first writable store that holds its entity.
    public var configuration: String?
    /// Whether the store is only read. It must exist, nothing in it changes, and saves throw
    /// ``BackstitchError/Code/readOnly``.
    public var isReadOnly = false
    /// The migration steps from older versions of the model that need code; see ``MigrationStage``.
    public var migrationStages: [MigrationStage] = []

    /// Creates the description of a writable store for all entities of the model.
    public init(type: StoreType, url: URL? = nil, options: [StoreOption: any Sendable] = [:]) {
        self.type = type
        self.url = url
        self.options = options
    }
}

extension PersistentStoreDescription: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type, the place without a password, and the names of the options. Values of options are left out, because
    /// they may be secret.
    public var description: String {
        let names = options.keys.map(\.rawValue).sorted().joined(separator: ", ")
        return
            "\(type.rawValue) store\(url.map { " at \($0.withoutSecrets)" } ?? "")\(names.isEmpty ? "" : " with \(names)")"
    }

    /// The same text as ``description``.
    public var debugDescription: String { description }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension URL {
    /// The URL as text, without user, password and query, because they may hold secrets.
    var withoutSecrets: String {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "a place" }
        (components.user, components.password, components.query) = (nil, nil, nil)
        return components.string ?? "a place"
    }
}
