import Backstitch
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the long poll of a server that answers oddly")
struct PushListenerTests {
    /// The number of requests of each kind in this time, to a server that answers at once.
    private func counts(
        for milliseconds: Int64, clock: (Int64) -> Int64 = { $0 },
        _ answer: (Int) -> Result<Bool, SyncFailure>
    ) -> [String: Int] {
        var script = EngineScript(listening: false)
        var counts: [String: Int] = [:]
        var time = script.now
        let end = time + milliseconds
        // A timer's end counts from the time it was set, for any change of the clock.
        var due: [SyncEngine.Timer: (value: Int64, time: Int64)] = [:]
        script.tell(.trigger(.storeAdded, ticket: nil))
        while time < end {
            due = script.timers.reduce(into: [:]) { next, timer in
                let known = due[timer.key].flatMap { $0.value == timer.value ? $0 : nil }
                next[timer.key] = known ?? (timer.value, time + max(0, timer.value - script.now))
            }
            guard let name = script.openNames.first else {
                guard let next = due.min(by: { ($0.value.time, "\($0.key)") < ($1.value.time, "\($1.key)") }) else {
                    break
                }
                time = max(time, next.value.time)
                script.now = clock(time)
                script.fire(next.key)
                continue
            }
            counts[name, default: 0] += 1
            time += 1
            script.now = clock(time)
            switch name {
            case "listen": script.answer(name, .pushListenerAnswered(answer(counts[name, default: 0])))
            case "register": script.answer(name, .pushListenerRegistered(.success(true)))
            case "fetch": script.answer(name, .pageFetched(.success(page("1"))))
            case "apply": script.answer(name, .pageApplied(.success(.init())))
            case "prepare": script.answer(name, nothingToSend)
            default: script.answer(name, .assetsFetched(missing: 0))
            }
        }
        return counts
    }

    @Test(
        "a poll that ends at once, whatever it says, is begun again later and later",
        arguments: ["nothing", "an error", "news of what is no news", "everything in turn"])
    func floor(_ kind: String) {
        let counts = counts(for: 60_000) { number in
            switch kind {
            case "nothing": .success(false)
            case "an error": .failure(.offline)
            case "news of what is no news": .success(true)
            default: [.success(false), .failure(.offline), .success(true)][number % 3]
            }
        }
        #expect(counts["listen", default: 0] < 60, "\(counts)")
        #expect(counts["register", default: 0] < 20, "\(counts)")
        #expect(counts["fetch", default: 0] < 130, "\(counts)")
    }

    @Test("a poll that cannot be begun, again and again, does not put the next look off")
    func looks() {
        var script = EngineScript(listening: false)
        script.tell(.trigger(.timer, ticket: nil))
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        script.answer("prepare", nothingToSend)
        script.answer("register", .pushListenerRegistered(.failure(.offline)))
        let look = script.timers[.poll]
        #expect(look != nil)
        for _ in 0..<20 where script.timers[.pushListener].map({ $0 < look ?? 0 }) == true {
            #expect(script.fire(.pushListener) == ["register"])
            script.answer("register", .pushListenerRegistered(.failure(.offline)))
            #expect(script.timers[.poll] == look)
        }
        #expect(script.fire(.poll) == ["fetch"])
    }

    @Test("news that bring something are waited for again at once, however many they are")
    func busyZone() {
        var script = EngineScript()
        script.tell(.trigger(.push, ticket: nil))
        for number in 0..<200 {
            script.now += 5
            var applied = AppliedChanges()
            applied.received = 1
            applied.changes.inserted = [noteID(UInt64(number))]
            if number == 0 { script.engine.pushListener.state = .listening }
            if script.openNames.contains("listen") {
                #expect(script.answer("listen", .pushListenerAnswered(.success(true))).contains("listen"))
            } else {
                _ = script.tell(.pushListenerAnswered(.success(true)))
            }
            script.answer("fetch", .pageFetched(.success(page("\(number)"))))
            script.answer("apply", .pageApplied(.success(applied)))
            script.answer("prepare", nothingToSend)
            if script.openNames.contains("assets") { script.answer("assets", .assetsFetched(missing: 0)) }
        }
        #expect(script.openNames.contains("listen"))
        #expect(script.timers[.pushListener] == nil)
    }

    @Test("a poll that is refused for want of valid credentials waits for them, without a timer")
    func credentials() {
        var script = EngineScript()
        script.engine.pushListener.state = .listening
        #expect(script.tell(.pushListenerAnswered(.failure(.of(.authentication)))).isEmpty)
        #expect(script.engine.pushListener.state == .off)
        #expect(script.timers[.pushListener] == nil)
    }

    @Test("a poll without a network is begun again by the next cycle that has one, and does not ask by itself")
    func noNetwork() {
        var script = EngineScript()
        script.engine.pushListener.state = .listening
        _ = script.tell(.pushListenerAnswered(.failure(.of(.noConnection))))
        #expect(script.engine.pushListener.state == .off)
        #expect(script.timers[.pushListener] == nil)
        #expect(script.timers[.poll] != nil)
        #expect(script.tell(.trigger(.networkState, ticket: nil)).contains("register"))
        script.answer("register", .pushListenerRegistered(.success(true)))
        #expect(script.engine.pushListener.state == .listening)
    }

    @Test(
        "a clock that stands still, goes back or jumps ahead now and then neither stops the poll nor lets it run wild")
    func clocks() {
        let hour: Int64 = 3_600_000
        let clocks: [(Int64) -> Int64] = [
            { _ in 5 }, { 10_000_000 - $0 }, { -$0 * hour }, { $0 + $0 / 10_000 * hour },
        ]
        for clock in clocks {
            let counts = counts(for: 60_000, clock: clock) { _ in .success(false) }
            #expect((1..<200).contains(counts["listen", default: 0]), "\(counts)")
        }
    }

    @Test("pages without an end, empty or full of what is known, end the cycle, which is tried again later and later")
    func endlessPages() {
        for received in [0, 200] {
            var script = EngineScript()
            var pages = 0
            let end = script.now + 60_000
            script.tell(.trigger("test", ticket: 1))
            while script.now < end, pages < 1_000_000 {
                if script.openNames.contains("apply") {
                    var applied = AppliedChanges()
                    applied.received = received
                    script.answer("apply", .pageApplied(.success(applied)))
                } else if let name = script.openNames.first(where: { $0.hasPrefix("fetch") }) {
                    pages += 1
                    script.answer(name, .pageFetched(.success(page("\(pages)", more: true))))
                } else if let next = script.timers.min(by: { $0.value < $1.value }) {
                    script.fire(next.key)
                } else {
                    break
                }
            }
            #expect(script.reports.contains("failed protocolViolation"))
            #expect(script.answered[1] == "failed")
            #expect(pages < (received == 0 ? 2_000 : 200_000), "\(pages) pages")
        }
    }
}
