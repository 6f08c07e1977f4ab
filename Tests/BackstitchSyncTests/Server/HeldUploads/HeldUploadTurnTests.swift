import Backstitch
import BackstitchServer
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("what befalls an object while its film is uploaded", .timeLimit(.minutes(5)))
struct HeldUploadTurnTests {
    /// An event while the upload is under way.
    enum Turn: String, CaseIterable, Sendable {
        case isEdited, getsAnotherFilm, getsASmallPhoto, getsNoPhoto, isDeleted, isMadeAnotherWithTheSameFilm
        case syncRests, transferRests, uploadIsCancelled, connectionIsCut, programIsStartedAgain, zoneIsLost
        case isEditedElsewhere, isDeletedElsewhere

        /// Whether it can befall an object that the server does not have yet.
        var isOfAnyObject: Bool { self != .isEditedElsewhere && self != .isDeletedElsewhere }
    }

    private static let cases = Turn.allCases.flatMap { turn in
        (turn.isOfAnyObject ? [true, false] : [false]).map { (turn, $0) }
    }

    @Test("nothing is lost, a text goes on, and the newest state arrives", arguments: cases)
    func turn(_ turn: Turn, isNew: Bool) async throws {
        try await StuckFilm.run(isNew: isNew) { stuck in
            #expect(try await stuck.textArrives("before"))
            let phone = try await take(turn, stuck)
            await stuck.letGo()
            try await stuck.expectEqual(phone)
            let seen = try await stuck.seen()
            switch turn {
            case .isDeleted, .isDeletedElsewhere: #expect(seen == nil)
            case .getsNoPhoto: #expect(try #require(seen).photo == nil)
            case .getsASmallPhoto: #expect(seen?.photo == Data("small".utf8))
            case .getsAnotherFilm: #expect(seen?.photo == StuckFilm.bytes(2))
            default: #expect(seen?.photo == StuckFilm.bytes(1))
            }
            switch turn {
            case .isDeleted, .isDeletedElsewhere: break
            case .isEdited: #expect(seen?.title == "edited")
            case .isEditedElsewhere: #expect(seen?.title == "of b")
            default: #expect(seen?.title == "film")
            }
            #expect(try await stuck.b.titles().contains("before"))
        }
    }

    /// - Returns: The device with the film from now on, if that is another one.
    private func take(_ turn: Turn, _ stuck: StuckFilm) async throws -> SyncDevice? {
        let (a, id) = (stuck.a, stuck.film)
        switch turn {
        case .isEdited: try await a.change(id) { note, _ in note.title = "edited" }
        case .getsAnotherFilm: try await a.change(id) { note, _ in note.photo = StuckFilm.bytes(2) }
        case .getsASmallPhoto: try await a.change(id) { note, _ in note.photo = Data("small".utf8) }
        case .getsNoPhoto: try await a.change(id) { note, _ in note.photo = nil }
        case .isDeleted: try await a.delete(id)
        case .isMadeAnotherWithTheSameFilm:
            _ = try await a.addNote("twin") { note, _ in note.photo = StuckFilm.bytes(1) }
        case .syncRests: try await rest(stuck)
        case .transferRests: try await restTransfer(stuck)
        case .uploadIsCancelled:
            try await a.sync.assets.cancelUpload("photo", of: id)
            #expect(try await eventually { try await a.sync.status.blockedCount == 1 })
            #expect(try await stuck.textArrives("meanwhile"))
            try await a.sync.blocked.retry([id])
        case .connectionIsCut:
            stuck.dam.open(.dropConnection)
            #expect(try await eventually { try await a.sync.status.lastError != nil })
        case .programIsStartedAgain:
            try a.close()
            let phone = try stuck.world.device(
                "phone", automatic: true, StuckFilm.options.merging([.syncWebAuthToken: "_ann"]) { $1 })
            try await stuck.dam.fills(2)
            return phone
        case .zoneIsLost:
            try await StuckFilm.zone(of: stuck.world).deleteZone()
        case .isEditedElsewhere:
            try await stuck.b.change(id) { note, _ in note.title = "of b" }
            try await stuck.b.sync.sync()
        case .isDeletedElsewhere:
            try await stuck.b.delete(id)
            try await stuck.b.sync.sync()
        }
        // Other objects do not wait for it. A small photo is sent with them, and is held up too.
        if turn != .getsASmallPhoto { #expect(try await stuck.textArrives("after")) }
        return nil
    }

    /// Pauses sync, which ends the upload, and lets it go on.
    private func rest(_ stuck: StuckFilm) async throws {
        let held = stuck.dam.held
        stuck.a.sync.pause()
        #expect(try await eventually { try await stuck.a.sync.status.state == .paused })
        #expect(try await eventually { stuck.a.sync.services.transfers.underWay.uploads.isEmpty })
        #expect(stuck.dam.held == held)
        stuck.a.sync.resume()
        try await stuck.dam.fills(held + 1)
    }

    /// Lets the film rest, which sets its change aside, and go on.
    private func restTransfer(_ stuck: StuckFilm) async throws {
        let held = stuck.dam.held
        try await stuck.a.sync.assets.pause("photo", of: stuck.film)
        #expect(try await eventually { try await stuck.a.sync.status.blockedCount == 1 })
        #expect(try await stuck.textArrives("meanwhile"))
        #expect(stuck.dam.held == held)
        try await stuck.a.sync.assets.resume("photo", of: stuck.film)
        try await stuck.dam.fills(held + 1)
    }
}

extension StuckFilm {
    /// The user's zone as another client has it.
    static func zone(of world: SyncWorld) throws -> WireView { try WireView(url: world.url, user: "_ann") }
}
