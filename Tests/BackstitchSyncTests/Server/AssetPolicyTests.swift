import Backstitch
import BackstitchSQLite
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("when assets come, by the model")
struct AssetPolicyTests {
    private static func model(_ policies: [String: AssetPolicy]) -> ManagedObjectModel {
        ManagedObjectModel([
            EntityDescription(
                "Note",
                ["plain", "photo", "cover", "film"].map { name in
                    let attribute = PropertyDescription.attribute(name, .binary, external: true)
                    return policies[name].map { attribute.synced(assets: $0) } ?? attribute
                })
        ])
    }

    /// The attributes whose bytes are on a device, after the arrival of a note with these sizes.
    private func come(
        _ sizes: [String: Int], _ options: [StoreOption: any Sendable] = [:]
    ) async throws -> Set<String> {
        let model = Self.model(["photo": .below(50_000), "cover": .eager, "film": .onDemand])
        return try await SyncWorld.run { world in
            let a = try world.device(model: model), b = try world.device(model: model, options)
            let id = try await a.add(sizes.mapValues { .data(Data(repeating: UInt8($0 % 251), count: $0)) })
            try await a.sync.sync()
            #expect(try await b.sync.sync().missingAssets == 0)
            let states = try await b.sync.assets.states(of: "Note")
            #expect(states.count == sizes.count)
            for state in states {
                if case .remote = state.state {
                    #expect(try await b.sync.assets.download(state.key, of: id).size == state.size)
                }
            }
            return Set(states.filter { if case .local = $0.state { true } else { false } }.map(\.key))
        }
    }

    @Test("eager ones come whatever their size, those on demand when asked for, those below a size by their size")
    func policies() async throws {
        let sizes = ["plain": 60_001, "photo": 50_000, "cover": 60_003, "film": 10_000]
        #expect(try await come(sizes) == ["plain", "photo", "cover"])
        #expect(try await come(["photo": 50_001]) == [])
        // The option is for what the model says nothing of.
        #expect(try await come(sizes, [.syncAutomaticAssetSize: 20_000]) == ["photo", "cover"])
        // An attribute named by a device is on demand there, for any setting of the model.
        #expect(
            try await come(sizes, [.excludedUnchangingAsyncAssetKeys: ["cover", "Note.photo"]]) == ["plain"])
    }

    @Test("a policy for what has no assets, and one below a negative size, are faults of the model")
    func faults() throws {
        func fault(_ property: PropertyDescription) throws -> String {
            let other = EntityDescription("Other", [.toMany("notes", "Note", inverse: "other")])
            let model = ManagedObjectModel([
                EntityDescription("Note", [property, .toOne("other", "Other", inverse: "notes")]), other,
            ])
            let error = #expect(throws: BackstitchError.self) {
                try PersistentContainer(model: model, store: .init(type: .sqlite))
            }
            #expect(error?.code == .invalidModel)
            return error?.message ?? ""
        }
        #expect(try fault(.attribute("bytes", .binary).synced(assets: .eager)).contains("Note.bytes"))
        #expect(try fault(.attribute("name", .string).synced(assets: .onDemand)).contains("Note.name"))
        #expect(
            try fault(.attribute("photo", .binary, external: true).synced(assets: .below(-1))).contains("Note.photo"))
        let link = PropertyDescription.toOne("other", "Other", inverse: "notes").synced(assets: .eager)
        let error = #expect(throws: BackstitchError.self) {
            try PersistentContainer(
                model: ManagedObjectModel([
                    EntityDescription("Note", [link]),
                    EntityDescription("Other", [.toMany("notes", "Note", inverse: "other")]),
                ]), store: .init(type: .sqlite))
        }
        #expect(error?.code == .invalidModel && error?.message.contains("Note.other") == true)
    }
}
