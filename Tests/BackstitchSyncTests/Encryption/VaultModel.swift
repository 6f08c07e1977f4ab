import Backstitch
import BackstitchSupport
import BackstitchSync
import Foundation

/// A model with an encrypted attribute of each kind, and plain ones beside them.
enum VaultModel {
    static let kinds: [(name: String, type: AttributeType, value: Value)] = [
        ("small", .integer16, .int(-3)), ("medium", .integer32, .int(70_000)), ("large", .integer64, .int(.max)),
        ("price", .decimal, .decimal(Decimal(string: "123456789.000000000123") ?? 0)), ("ratio", .double, .double(0.1)),
        ("share", .float, .double(0.25)), ("text", .string, .string("Grüße \u{1F9F5}")),
        ("flag", .boolean, .bool(true)),
        ("born", .date, .date(Date(milliseconds: 1_700_000_000_123))), ("bytes", .binary, .data(Data([0, 1, 255]))),
        ("token", .uuid, .uuid(UUID(uuidString: "01A200BC-B0B9-7171-9876-0EFD7A3058FE") ?? UUID())),
        ("link", .uri, .uri(URL(filePath: "/vault"))),
    ]

    static let description = ManagedObjectModel([secret])
    /// A model in which no two secrets have the same label.
    static let withUniqueLabels = {
        var entity = secret
        entity.uniquenessConstraints = [["label"]]
        return ManagedObjectModel([entity])
    }()

    private static let secret = EntityDescription(
        "Secret",
        kinds.map { .attribute($0.name, $0.type).encrypted() } + [
            .attribute("other", .string).encrypted(), .attribute("scan", .binary, external: true).encrypted(),
            .attribute("label", .string), .attribute("picture", .binary, external: true),
        ])
}

/// Keys that a test gives, takes away and replaces.
final class TestKeys: EncryptionKeyProvider {
    struct Missing: Error {}

    private struct State: Sendable {
        var keys: [EncryptionKey] = []
        var current: String?
        var replaced: Set<String> = []
        var asked: [String: Int] = [:]
    }

    private let state = Locked(State())

    /// Has keys of these names. The last one is the current key, and replaces none.
    init(_ ids: String...) throws {
        for id in ids { try add(id) }
        state.withLock { $0.current = ids.last }
    }

    /// The key of a name, the same in each provider.
    static func key(_ id: String) throws -> EncryptionKey {
        try EncryptionKey(id: id, bytes: Data(SHA256.hash(data: Data("key \(id)".utf8))))
    }

    func add(_ id: String) throws {
        let key = try Self.key(id)
        state.withLock { $0.keys.append(key) }
    }

    /// Puts other bytes under a name.
    func put(_ key: EncryptionKey) {
        state.withLock { state in
            state.keys.removeAll { $0.id == key.id }
            state.keys.append(key)
        }
    }

    func remove(_ id: String) { state.withLock { state in state.keys.removeAll { $0.id == id } } }

    /// Makes a key the current one, in place of others.
    func rotate(to id: String, replacing ids: String...) throws {
        if !state.withLock({ $0.keys.contains { $0.id == id } }) { try add(id) }
        state.withLock { state in
            state.current = id
            state.replaced = Set(ids)
        }
    }

    func setCurrent(_ id: String?) { state.withLock { $0.current = id } }

    func asked(for id: String) -> Int { state.withLock { $0.asked[id] ?? 0 } }

    func currentKey(inZone zone: String) throws -> EncryptionKey {
        try state.withLock { state in
            guard let key = state.keys.first(where: { $0.id == state.current }) else { throw Missing() }
            return key
        }
    }

    func key(withID id: String, inZone zone: String) -> EncryptionKey? {
        state.withLock { state in
            state.asked[id, default: 0] += 1
            return state.keys.first { $0.id == id }
        }
    }

    func replacedKeyIDs(inZone zone: String) -> Set<String> { state.withLock { $0.replaced } }
}

extension SyncWorld {
    /// A device with the vault's model.
    func vault(
        _ keys: any EncryptionKeyProvider, named name: String? = nil, automatic: Bool = false
    ) throws -> SyncDevice {
        try device(name, automatic: automatic, model: VaultModel.description, [.syncEncryptionKeys: keys])
    }
}

extension SyncDevice {
    /// The values of a secret, by name; assets as bytes.
    func secret(_ id: ObjectID) async throws -> [String: Value] {
        try await read { context in
            let object = try context.existingObject(with: id)
            var values: [String: Value] = [:]
            for column in object.entity.columns where column.attribute != nil {
                if column.attribute?.allowsExternalStorage == true {
                    let data: Data? = object[column.name]
                    values[column.name] = data.map(Value.data) ?? .null
                } else {
                    values[column.name] = try object.value(forKey: column.name)
                }
            }
            return values
        }
    }

    func addSecret(_ values: [String: Value]) async throws -> ObjectID { try await add(values, "Secret") }
}
