import Backstitch
import BackstitchServer
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// A device that syncs by itself, and a film that does not reach the server. A second device sees the server's records.
final class StuckFilm: Sendable {
    let world: SyncWorld
    let dam: AssetDam
    let film: ObjectID
    let a: SyncDevice
    let b: SyncDevice

    private init(_ world: SyncWorld, _ dam: AssetDam, _ film: ObjectID, _ a: SyncDevice, _ b: SyncDevice) {
        (self.world, self.dam, self.film, self.a, self.b) = (world, dam, film, a, b)
    }

    static let options: [StoreOption: any Sendable] = [.syncRequestTimeout: 600]

    /// Runs `body` while the bytes of a film are on their way.
    ///
    /// - Parameters:
    ///   - isNew: Whether the server does not have the object yet.
    ///   - perBatch: Bytes of assets that go with a batch; nil for the usual number.
    static func run(
        isNew: Bool = true, perBatch: Int64? = nil, configure: (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (StuckFilm) async throws -> Void
    ) async throws {
        try await SyncWorld.run(configure: configure) { world in
            let user: [StoreOption: any Sendable] = options.merging([.syncWebAuthToken: "_ann"]) { $1 }
            let a = try world.device("phone", automatic: true, user), b = try world.device(nil, user)
            if let perBatch { a.sync.services.heldUploads.perBatch = perBatch }
            let dam = AssetDam()
            let before = isNew ? nil : try await a.addNote("film")
            try await a.sync.sync()
            try await b.sync.sync()
            await world.faults.set { await dam.pass($0) }
            let film: ObjectID
            if let before {
                try await a.change(before) { note, _ in note.photo = bytes(1) }
                film = before
            } else {
                film = try await a.addNote("film") { note, _ in note.photo = bytes(1) }
            }
            defer { dam.open() }
            try await dam.fills()
            try await body(StuckFilm(world, dam, film, a, b))
        }
    }

    /// A film, by its number.
    static func bytes(_ number: UInt8) -> Data {
        Data((0..<4_500_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) ^ number })
    }

    /// Saves a text and tells whether the other device gets it.
    func textArrives(_ text: String, within limit: Duration = .seconds(30)) async throws -> Bool {
        _ = try await a.addNote(text)
        return try await eventually(within: limit) {
            try await b.sync.sync()
            return try await b.titles().contains(text)
        }
    }

    /// Lets the bytes through.
    func letGo() async {
        dam.open()
        await world.faults.clear()
    }

    /// Expects both devices to hold the same, with nothing unsent.
    ///
    /// - Parameter phone: The device with the film, if it was opened anew.
    func expectEqual(_ phone: SyncDevice? = nil, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let a = phone ?? a
        // All of that is so when the call returns.
        try await a.sync.sync()
        let status = try await a.sync.status
        #expect(status.pendingCount == 0 && status.blockedCount == 0, sourceLocation: sourceLocation)
        try await b.sync.sync()
        #expect(try await a.dump() == b.dump(), sourceLocation: sourceLocation)
    }

    /// The title and the photo of the film on the other device; nil if it has no such object.
    func seen() async throws -> (title: String?, photo: Data?)? {
        let id = film
        return try await b.read { context in
            let request = FetchRequest<TestNote>()
            return try context.fetch(request).first { $0.objectID == id }.map { ($0.title, $0.photo) }
        }
    }
}
