import Backstitch
import BackstitchServer
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the order of downloads", .timeLimit(.minutes(3)))
struct AssetPriorityTests {
    /// Counts the pieces that a server is asked for, and has each wait for a word.
    private final class Gate: Sendable {
        private let state = Locked((arrived: 0, open: 0, isOpen: false))

        var arrived: Int { state.withLock { $0.arrived } }

        func pass() async throws {
            let number = state.withLock { state in
                state.arrived += 1
                return state.arrived
            }
            while !state.withLock({ $0.isOpen || $0.open >= number }) { try await Task.sleep(for: .milliseconds(5)) }
        }

        func open(_ count: Int) { state.withLock { $0.open = max($0.open, count) } }
        func openAll() { state.withLock { $0.isOpen = true } }
    }

    @Test(
        "an asset that is asked for comes before those in the background, of which no piece begins until it is here",
        arguments: [true, false])
    func askedFor(isByCycle: Bool) async throws {
        try await SyncWorld.run { world in
            let a = try world.device()
            let ids = try await a.edit { context in
                (0..<13).map { number in
                    let note = TestNote(context: context)
                    // Of two pieces each; the last one comes when it is asked for.
                    let data = Data(repeating: UInt8(number), count: (1 << 20) + 1_000 + number)
                    if number == 12 { note.cover = data } else { note.photo = data }
                    return note.objectID
                }
            }
            try await a.sync.sync()
            let excluded = isByCycle ? ["cover"] : ["cover", "photo"]
            let b = try world.device(nil, [.excludedUnchangingAsyncAssetKeys: excluded])
            if !isByCycle { try await b.sync.sync() }
            let gate = Gate()
            await world.faults.set { request in
                if request.endpoint.contains("asset") { try? await gate.pass() }
                return nil
            }
            let background = Task {
                if isByCycle {
                    _ = try await b.sync.sync()
                } else {
                    let photos = try await b.sync.assets.remote().filter { $0.key == "photo" }
                    #expect(try await b.sync.assets.download(photos).count == 12)
                }
            }
            // Four pieces of the background are under way, and wait.
            #expect(try await eventually { gate.arrived == 4 })
            if isByCycle { #expect(try await eventually { try await b.sync.assets.remote().count == 13 }) }
            let asked = Task { try await b.sync.assets.download("cover", of: ids[12]) }
            // It does not wait for them.
            #expect(try await eventually { gate.arrived == 5 })
            // They end, and no other background download begins: only the second piece of the requested asset does.
            gate.open(5)
            #expect(try await eventually { gate.arrived == 6 })
            try await Task.sleep(for: .milliseconds(300))
            #expect(gate.arrived == 6)
            let here = try await b.sync.assets.remote().count
            #expect(here == 13, "\(here) are elsewhere")
            gate.open(6)
            #expect(try await asked.value.size == (1 << 20) + 1_012)
            gate.openAll()
            try await background.value
            #expect(try await b.sync.assets.remote() == [])
        }
    }

    @Test("an asset on its way in the background goes first when somebody asks for it")
    func raised() async throws {
        let turns = DownloadTurns()
        let references = (0..<10).map { AssetReference(checksum: "\($0)", size: 1) }
        let order = Locked<[String]>([])
        let (permits, permit) = AsyncStream.makeStream(of: Void.self)
        let begun = Locked(0)
        let background = (0..<8).map { number in
            Task {
                begun.withLock { $0 += 1 }
                try await turns.during(references[number]) {
                    order.withLock { $0.append("\(number)") }
                    for await _ in permits { break }
                }
            }
        }
        #expect(try await eventually { order.withLock { $0.count } == 4 && begun.withLock { $0 } == 8 })
        let waiting = try #require((0..<8).first { number in !order.withLock { $0.contains("\(number)") } })
        let asked = Task {
            try await turns.asking(for: references[waiting]) {
                let isRaised = try await eventually { order.withLock { $0.count } == 5 }
                #expect(isRaised)
            }
        }
        try await asked.value
        #expect(order.withLock { $0.last } == "\(waiting)")
        permit.finish()
        for task in background { try await task.value }
        #expect(order.withLock { $0.count } == 8)
    }
}
