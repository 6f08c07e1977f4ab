import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("providers of encryption keys")
struct KeyProviderTests {
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: ObjectIDGenerator().next().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test("a key has a name and 32 bytes, and no text of it tells them")
    func keys() throws {
        let bytes = Data((0..<32).map { UInt8($0 + 65) })
        let key = try EncryptionKey(id: "a.b-c_1", bytes: bytes)
        for text in [
            "\(key)", String(reflecting: key), String(describing: Mirror(reflecting: key).children.map { $0 }),
        ] {
            #expect(text.contains("a.b-c_1") && !text.contains("ABC") && !text.contains("65"), "\(text)")
        }
        for id in ["", "a b", "ü", String(repeating: "x", count: 65), "a/b"] {
            #expect(throws: BackstitchError.self) { try EncryptionKey(id: id, bytes: bytes) }
        }
        let error = #expect(throws: BackstitchError.self) { try EncryptionKey(id: "a", bytes: bytes.dropLast()) }
        #expect(error?.code == .invalidValue && error?.message.contains("31 bytes") == true)
    }

    @Test("a key file is its owner's alone; its last key is current and replaces the others, also for who has it open")
    func file() async throws {
        try await withFolder { folder in
            let place = folder.appending(path: "keys"), file = EncryptionKeyFile(place)
            #expect(try await !file.exists())
            let missing = await #expect(throws: BackstitchError.self) { try await file.currentKey(inZone: "") }
            #expect(missing?.message.contains(place.path) == true && missing?.message.contains("addKey") == true)
            try await file.addKey(id: "one")
            let mode = try FileManager.default.attributesOfItem(atPath: place.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let other = EncryptionKeyFile(place)
            #expect(try await other.currentKey(inZone: "").id == "one")
            #expect(try await other.replacedKeyIDs(inZone: "").isEmpty)
            try await file.addKey(id: "two")
            #expect(try await other.currentKey(inZone: "").id == "two")
            #expect(try await other.replacedKeyIDs(inZone: "") == ["one"])
            #expect(try await other.key(withID: "one", inZone: "") != nil)
            #expect(try await other.key(withID: "three", inZone: "") == nil)
            await #expect(throws: BackstitchError.self) { try await file.addKey(id: "two") }
            #expect(try await other.currentKey(inZone: "").id == "two")
        }
    }

    @Test("a key file that others may read, or with a line that is no key, is refused without telling the line")
    func badFiles() async throws {
        try await withFolder { folder in
            let place = folder.appending(path: "keys")
            func refusal(_ text: String, mode: Int = 0o600) async throws -> String {
                try Data(text.utf8).write(to: place)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place.path)
                let error = await #expect(throws: BackstitchError.self) {
                    try await EncryptionKeyFile(place).currentKey(inZone: "")
                }
                return error?.message ?? ""
            }
            let half = Data(repeating: 65, count: 31).base64EncodedString()
            let whole = Data(repeating: 65, count: 32).base64EncodedString()
            let short = try await refusal("# keys\n\na \(half)\n")
            #expect(short.contains("line 3") && !short.contains(half.prefix(8)))
            #expect(try await refusal("a \(whole)\na \(whole)\n").contains("twice"))
            #expect(try await refusal("# none\n").contains("no key"))
            #expect(try await refusal("a \(whole)\n", mode: 0o644).contains("0600"))
        }
    }

    @Test("a passphrase gives one key on every device, and another one for another passphrase, salt or cost")
    func passphrase() async throws {
        let cost = EncryptionPassphrase.Cost(rounds: 1 << 14)
        func key(_ text: String, _ salt: String = "ann", _ cost: EncryptionPassphrase.Cost = cost) async throws
            -> String
        {
            try await EncryptionPassphrase(text, salt: salt, cost: cost).currentKey(inZone: "").id
        }
        let first = try await key("correct horse")
        // Kept values name it, so it may not change from version to version. Python's hashlib.scrypt gives the same.
        #expect(first == "scrypt-37b22d468d2652f9")
        let others = [
            try await key("correct horsf"), try await key("correct horse", "bob"),
            try await key("correct horse", "ann", .init(rounds: 1 << 15)),
        ]
        #expect(Set(others + [first]).count == 4)
        #expect(try await key("caf\u{E9}") == key("cafe\u{301}"))
        let provider = EncryptionPassphrase("correct horse", salt: "ann", cost: cost)
        #expect(try await provider.key(withID: first, inZone: "") != nil)
        #expect(try await provider.key(withID: others[0], inZone: "") == nil)
        let chain = EncryptionKeyList(EncryptionPassphrase("new", salt: "ann", cost: cost), replacing: [provider])
        #expect(try await chain.replacedKeyIDs(inZone: "") == [first])
        #expect(try await chain.key(withID: first, inZone: "") != nil)
    }
}
