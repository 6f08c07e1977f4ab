public import Foundation

/// Which store a container opens: its type, place and options.
///
/// ```swift
/// .init(type: .sqlite, url: file)
/// .init(type: .sync, url: directory, options: [.syncServerURL: "http://127.0.0.1:8080"])
/// ```
public struct PersistentStoreDescription: Sendable {
    /// The kind of store.
    public var type: StoreType
    /// A file, folder or server, as the type has it; nil for a store in memory.
    public var url: URL?
    /// The options; each type says which it takes.
    public var options: [StoreOption: any Sendable]
    /// The configuration of the model whose entities the store holds (see ``ManagedObjectModel/configurations``); nil
    /// for all.
    ///
    /// With several stores a fetch gives what all of them hold. A new object goes to the store that it was assigned to
    /// (``ManagedObjectContext/assign(_:to:)``), else to that of its parent (``EntityDescription/parent(_:)``), else to
    /// the first one that holds its entity and may be written.
    public var configuration: String?
    /// Whether the store is only read: it must be there, nothing in it changes, and saves throw
    /// ``BackstitchError/Code/readOnly``.
    public var isReadOnly = false
    /// The ways from older versions of the model that take code; see ``MigrationStage``.
    public var migrationStages: [MigrationStage] = []

    /// A description.
    public init(type: StoreType, url: URL? = nil, options: [StoreOption: any Sendable] = [:]) {
        self.type = type
        self.url = url
        self.options = options
    }
}

extension PersistentStoreDescription: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Type, place without a password, and the names of the options: their values may be secret.
    public var description: String {
        let names = options.keys.map(\.rawValue).sorted().joined(separator: ", ")
        return
            "\(type.rawValue) store\(url.map { " at \($0.withoutSecrets)" } ?? "")\(names.isEmpty ? "" : " with \(names)")"
    }

    /// ``description``.
    public var debugDescription: String { description }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension URL {
    /// The URL as text without user, password and query, which may hold secrets.
    var withoutSecrets: String {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "a place" }
        (components.user, components.password, components.query) = (nil, nil, nil)
        return components.string ?? "a place"
    }
}
