import Backstitch
import Foundation
import Testing

@Suite("options")
struct OptionTests {
    private static let specifications: [OptionSpecification] = [
        OptionSpecification("name", .string, "A name."), OptionSpecification("flag", .boolean, "A flag."),
        OptionSpecification("limit", .integer(1...10), "A limit."), OptionSpecification("timeout", .seconds, "A time."),
        OptionSpecification("keys", .strings, "Keys."),
        OptionSpecification("policy", .choice(["a", "b"]), "A policy."),
        OptionSpecification("server", .url(schemes: ["http", "https"]), "A server."),
        OptionSpecification("token", .integer(0...9), "A secret.", secret: true),
    ]

    @Test("options of the right kind are read in their type")
    func typed() throws {
        let options = try StoreOptions(
            [
                "name": "x", "flag": true, "limit": 3, "timeout": 2, "keys": ["a"], "policy": "b",
                "server": "http://h:1",
            ],
            specifications: Self.specifications)
        #expect(options.value("name") == "x")
        #expect(options.value("flag") == true)
        #expect(options.value("limit") == 3)
        #expect(options.value("timeout") == 2.0)
        #expect(options.value("keys") == ["a"])
        #expect(options.value("server", as: URL.self)?.port == 1)
        #expect(options.value("missing", as: String.self) == nil)
    }

    @Test("every wrong option is named, with what it takes; an unknown one with its nearest")
    func faults() {
        let error = #expect(throws: BackstitchError.self) {
            try StoreOptions(
                ["nmae": "x", "flag": 7, "limit": 11, "policy": "c", "server": "ftp://h", "token": 12_345],
                specifications: Self.specifications)
        }
        #expect(error?.code == .invalidOption)
        let text = error?.message ?? ""
        for part in [
            "\"nmae\"; did you mean \"name\"", "\"flag\" takes true or false, not 7", "from 1 to 10", "one of a, b",
            "\"server\"",
        ] {
            #expect(text.contains(part), "\(part) is missing in \(text)")
        }
        #expect(!text.contains("12345"), "a secret value is shown")
    }

    @Test("JSON gives the same options")
    func json() throws {
        let raw = try [StoreOption: any Sendable](
            json: Data(#"{"name": "x", "flag": false, "limit": 4, "timeout": 1.5, "keys": ["a", "b"]}"#.utf8))
        let options = try StoreOptions(raw, specifications: Self.specifications)
        #expect(options.value("flag") == false)
        #expect(options.value("limit") == 4)
        #expect(options.value("timeout") == 1.5)
        #expect(options.value("keys") == ["a", "b"])
        #expect(throws: BackstitchError.self) { try [StoreOption: any Sendable](json: Data("[1]".utf8)) }
        #expect(throws: BackstitchError.self) { try [StoreOption: any Sendable](json: Data(#"{"a": null}"#.utf8)) }
    }

    @Test("the environment gives the same options")
    func environment() throws {
        let raw = [StoreOption: any Sendable](environment: [
            "BACKSTITCH_OPTION_SYNC_SERVER_URL": "http://h", "BACKSTITCH_OPTION_SYNC_API_TOKEN": "t", "OTHER": "1",
            "BACKSTITCH_OPTION_SYNC_ON_SAVE": "no",
        ])
        #expect(Set(raw.keys) == ["syncServerURL", "syncAPIToken", "syncOnSave"])
        let options = try StoreOptions(
            raw,
            specifications: [
                OptionSpecification("syncServerURL", .url(schemes: ["http"]), ""),
                OptionSpecification("syncAPIToken", .string, ""),
                OptionSpecification("syncOnSave", .boolean, ""),
            ])
        #expect(options.value("syncOnSave") == false)
    }

    @Test("an unknown store type says how to make it known")
    func unknownType() {
        let error = #expect(throws: BackstitchError.self) {
            try PersistentContainer(
                model: ManagedObjectModel([EntityDescription("A", [])]), store: .init(type: "Nowhere"))
        }
        #expect(error?.code == .unknownStoreType)
        #expect(error?.message.contains("Nowhere") == true)
    }
}
