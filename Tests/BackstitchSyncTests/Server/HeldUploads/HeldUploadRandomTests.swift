import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("devices with films at random", .scenario, .timeLimit(.minutes(5)))
struct HeldUploadRandomTests: ScenarioSuite {
    @Test("whatever they do while films are uploaded and fail, they end equal, with nothing unsent", arguments: 0..<8)
    func walk(_ number: UInt64) async throws {
        let seed = SeededGenerator.seed() &+ number
        print("held uploads: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let policy: ConflictResolutionPolicy = number % 2 == 0 ? .serverWins : .clientWins
        var devices = try (0..<3).map { try open($0, policy) }
        var calls: [Task<Void, Never>] = []
        for _ in 0..<70 {
            let index = Int.random(in: 0..<3, using: &random), device = devices[index]
            switch Int.random(in: 0..<12, using: &random) {
            // Sync may have written the same object meanwhile.
            case 0...4:
                let seed = random.next()
                do { try await edit(device, seed: seed) } catch let error as BackstitchError
                    where error.code == .saveConflict
                {}
            case 5...7:
                try await slowDown(random.next())
                // It continues while the others do their work.
                calls.append(Task { _ = try? await device.sync.sync() })
                try await wait(Int.random(in: 0...20, using: &random))
            case 8:
                try await s.faults.failAtRandom(4, random.next())
                _ = try? await device.sync.sync()
            case 9:
                device.sync.pause()
                try await wait(Int.random(in: 0...10, using: &random))
                device.sync.resume()
            case 10:
                try device.close()
                devices[index] = try open(index, policy)
            default:
                if let photo = try await device.sync.assets.states(of: "Note").randomElement(using: &random) {
                    try await device.sync.assets.cancelUpload(photo.key, of: photo.objectID)
                }
            }
        }
        try await s.faults.clear()
        for call in calls { await call.value }
        for device in devices {
            device.sync.resume()
            try await device.sync.sync()
            try await device.sync.blocked.retry(try await device.sync.blocked.changes().map(\.objectID))
        }
        try await s.settle(rounds: 3, comment: "seed \(seed), \(policy)")
        try await s.expectNothingUnsent(comment: "seed \(seed)")
        for device in devices {
            let states = try await device.sync.assets.states(of: "Note").filter {
                if case .local = $0.state { false } else { true }
            }
            #expect(states.isEmpty, "seed \(seed): \(states)")
        }
    }

    private func open(_ number: Int, _ policy: ConflictResolutionPolicy) throws -> SyncDevice {
        let device = try s.device("phone \(number)", policy: policy)
        device.sync.services.heldUploads.perBatch = 2_000
        return device
    }

    private func wait(_ milliseconds: Int) async throws { try await Task.sleep(for: .milliseconds(milliseconds)) }

    /// Lets bytes take their time, and some of them get lost.
    private func slowDown(_ seed: UInt64) async throws {
        let random = Locked(SeededGenerator(seed: seed))
        try await s.faults.set { request in
            guard request.endpoint == "assets bytes" else { return nil }
            let (pause, isLost) = random.withLock { random in
                (Int.random(in: 0...30, using: &random), Int.random(in: 0..<6, using: &random) == 0)
            }
            try? await Task.sleep(for: .milliseconds(pause))
            return isLost ? .dropConnection : nil
        }
    }

    private func edit(_ device: SyncDevice, seed: UInt64) async throws {
        try await device.edit { context in
            var random = SeededGenerator(seed: seed)
            let notes = try context.fetch(FetchRequest<TestNote>())
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let note = notes.filter { !$0.isDeleted }.randomElement(using: &random)
                // Few numbers, so that films recur.
                let film = Data(repeating: UInt8.random(in: 0..<5, using: &random), count: 5_000)
                switch Int.random(in: 0..<10, using: &random) {
                case 0, 1:
                    let note = TestNote(context: context)
                    note.title = "\(random.next() % 1_000)"
                    if Bool.random(using: &random) { note.photo = film }
                case 2...4: note?.photo = film
                case 5: note?.photo = nil
                case 6: note?.cover = Bool.random(using: &random) ? film : Data("small".utf8)
                case 7, 8: note?.title = "\(random.next() % 1_000)"
                default: if let note { context.delete(note) }
                }
            }
        }
    }
}
