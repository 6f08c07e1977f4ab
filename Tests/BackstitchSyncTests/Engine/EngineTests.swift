import Backstitch
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the engine")
struct EngineTests {
    @Test("assets that another process has noted are looked for, when it has synced the store in between")
    func othersAssets() {
        var script = EngineScript()
        for isAfterOthers in [false, true] {
            script.tell(.trigger(.push, ticket: nil))
            var news = page("1")
            news.comesAfterOthers = isAfterOthers
            script.answer("fetch", .pageFetched(.success(news)))
            script.answer("apply", .pageApplied(.success(.init())))
            script.answer("prepare", nothingToSend)
            #expect(script.openNames.contains("assets") == isAfterOthers)
        }
    }

    @Test("opening a store sets up, pulls page after page, pushes, and ends")
    func firstCycle() {
        var script = EngineScript(isSetUp: false, isFirstSyncComplete: false, listening: false)
        #expect(script.tell(.trigger(.storeAdded, ticket: nil)) == ["setUp"])
        #expect(script.answer("setUp", .setUpEnded(.success(()))) == ["register", "fetch"])
        // The next page is fetched while the first is applied.
        #expect(script.answer("fetch", .pageFetched(.success(page("1", more: true)))) == ["fetch after 1", "apply"])
        #expect(script.answer("fetch after 1", .pageFetched(.success(page("2")))) == [])
        #expect(script.answer("apply", .pageApplied(.success(.init()))) == ["apply"])
        #expect(script.answer("apply", .pageApplied(.success(.init()))) == ["prepare"])
        let prepared = PreparedBatch(batch: batch(1, 2), isLast: false)
        // The next batch is read while the first is sent.
        #expect(script.answer("prepare", .batchPrepared(.success(prepared))) == ["send", "prepare"])
        #expect(script.answer("prepare", nothingToSend) == [])
        let reply = PushReply(answers: [.done(changeTag: "a"), .done(changeTag: "b")])
        #expect(script.answer("send", .batchSent(.success(reply))) == ["settle"])
        var settled = SettledBatch()
        settled.sent = 2
        #expect(script.answer("settle", .batchSettled(.success(settled))) == [])
        #expect(script.reports == ["started store added", "finished"])
        #expect(script.summaries.first?.sent == 2)
        #expect(script.engine.status.isFirstSyncComplete)
        #expect(script.engine.status.state == .idle)
    }

    @Test(
        "a save is pushed without a pull while the server tells of others' changes, and after a pull when it does not")
    func save() {
        var listening = EngineScript()
        #expect(listening.tell(.trigger(.localSave, ticket: nil)) == ["prepare"])
        var polling = EngineScript(listening: false)
        polling.engine.pushListener.state = .unsupported
        #expect(polling.tell(.trigger(.localSave, ticket: nil)) == ["fetch"])
        var fresh = EngineScript(isFirstSyncComplete: false)
        #expect(fresh.tell(.trigger(.localSave, ticket: nil)) == ["fetch"])
    }

    @Test("a save during a push is sent by the same cycle, whenever it comes")
    func saveWhilePushing() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        // Before the outbox was read.
        script.tell(.trigger(.localSave, ticket: nil))
        let one = PreparedBatch(batch: batch(1), isLast: true)
        #expect(script.answer("prepare", .batchPrepared(.success(one))) == ["send", "prepare"])
        #expect(script.answer("prepare", nothingToSend) == [])
        #expect(script.answer("send", .batchSent(.success(PushReply(answers: [.done(changeTag: "a")])))) == ["settle"])
        // While it is acknowledged.
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == [])
        #expect(script.answer("settle", .batchSettled(.success(.init()))) == ["prepare"])
        script.answer("prepare", nothingToSend)
        #expect(script.reports == ["started local save", "finished"])
    }

    @Test("an object that is saved again while its change is under way is sent by the same cycle")
    func savedAgainWhilePushing() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        let one = PreparedBatch(batch: batch(1), isLast: true)
        #expect(script.answer("prepare", .batchPrepared(.success(one))) == ["send"])
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == [])
        // The batch that is read now leaves the object out.
        #expect(
            script.answer("send", .batchSent(.success(PushReply(answers: [.done(changeTag: "a")]))))
                == ["settle", "prepare"])
        #expect(script.answer("prepare", nothingToSend) == [])
        var settled = SettledBatch()
        settled.changed = [key(1)]
        #expect(script.answer("settle", .batchSettled(.success(settled))) == ["prepare"])
        script.answer("prepare", nothingToSend)
        #expect(script.reports == ["started local save", "finished"])
    }

    @Test(
        "an object that is saved again when its acknowledgement is written, and not told yet, is sent by the same cycle"
    )
    func savedAgainWhileSettling() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        let one = PreparedBatch(batch: batch(1), isLast: false), two = PreparedBatch(batch: batch(2), isLast: true)
        let done = PushReply(answers: [.done(changeTag: "a")])
        #expect(script.answer("prepare", .batchPrepared(.success(one))) == ["send", "prepare"])
        #expect(script.answer("send", .batchSent(.success(done))) == ["settle"])
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == [])
        // The batch that is read for the save leaves the object out.
        #expect(script.answer("prepare", .batchPrepared(.success(two))) == ["send", "prepare"])
        #expect(script.answer("prepare", nothingToSend) == [])
        #expect(script.answer("settle", .batchSettled(.success(SettledBatch()))) == [])
        #expect(script.answer("send", .batchSent(.success(done))) == ["settle"])
        #expect(script.answer("settle", .batchSettled(.success(SettledBatch()))) == ["prepare"])
        #expect(script.answer("prepare", nothingToSend) == [])
        #expect(script.reports == ["started local save", "finished"])
    }

    @Test("a notification during a cycle leads to another one")
    func pokeWhileBusy() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        script.tell(.trigger(.push, ticket: nil))
        #expect(script.answer("prepare", nothingToSend) == ["fetch"])
        #expect(script.reports == ["started local save", "finished", "started push"])
    }

    @Test("who asks during a cycle gets the summary of the next one, which is whole")
    func ticket() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        script.tell(.trigger("by hand", ticket: 3))
        script.tell(.trigger(.networkState, ticket: 4))
        #expect(script.answer("prepare", nothingToSend) == ["fetch"])
        #expect(script.answered.isEmpty)
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        script.answer("prepare", nothingToSend)
        #expect(script.answered == [3: "finished", 4: "finished"])
        #expect(script.summaries.last?.reason == "by hand")
    }

    /// A cycle that begins with a pull. In it, the server defers a change.
    private func putOff(_ script: inout EngineScript, retryAfter: Int64? = nil, sent: Int = 0) {
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: true))))
        script.answer("send", .batchSent(.success(PushReply(answers: [.later(retryAfter)]))))
        var settled = SettledBatch()
        (settled.deferred, settled.retryAfter, settled.sent) = ([key(1)], retryAfter, sent)
        script.answer("settle", .batchSettled(.success(settled)))
    }

    @Test("who asks during a cycle in which the server puts changes off does not wait as long as they do")
    func ticketBeforeWait() throws {
        var script = EngineScript()
        script.tell(.trigger(.push, ticket: nil))
        script.tell(.trigger("by hand", ticket: 3))
        putOff(&script, retryAfter: 3_600_000)
        #expect(script.reports == ["started push", "finished", "started by hand"])
        #expect(script.openNames == ["fetch"] && script.timers[.cycle] == nil)
        // It gets one cycle, and no more.
        putOff(&script, retryAfter: 3_600_000)
        #expect(script.answered == [3: "finished"])
        let time = try #require(script.timers[.cycle])
        #expect(script.openNames.isEmpty && time == script.now + 3_600_000)
    }

    /// The wait after a number of cycles that came to nothing.
    private func wait(after attempts: Int) -> Int64 {
        SyncEngine.Settings().cycleBackOff.delay(attempt: attempts, random: 7)
    }

    @Test("what the server puts off each time is tried after waits that grow to half a minute, until something is sent")
    func growingWaits() throws {
        var script = EngineScript()
        script.tell(.trigger(.push, ticket: nil))
        for attempt in 1...10 {
            putOff(&script)
            let time = try #require(script.timers[.cycle])
            #expect(time - script.now == wait(after: attempt))
            #expect(script.fire(.cycle) == ["fetch"])
        }
        #expect(wait(after: 10) >= 15_000)
        putOff(&script, sent: 1)
        #expect(script.timers[.cycle] == script.now + wait(after: 1))
    }

    @Test("what else is to be synced does not wait longer because the server puts a change off each time")
    func othersWait() {
        var script = EngineScript()
        script.tell(.trigger(.push, ticket: nil))
        for _ in 0..<8 {
            putOff(&script)
            script.fire(.cycle)
        }
        // One that came during the cycle.
        script.tell(.trigger(.push, ticket: nil))
        putOff(&script)
        #expect(script.timers[.cycle] == script.now + wait(after: 1))
        script.fire(.cycle)
        putOff(&script)
        #expect(script.timers[.cycle] == script.now + wait(after: 10))
        // A save during the wait, and another one, which puts nothing off.
        for _ in 0..<2 { #expect(script.tell(.trigger(.localSave, ticket: nil)) == []) }
        #expect(script.timers[.cycle] == script.now + wait(after: 1))
        #expect(script.fire(.cycle) == ["fetch"])
    }

    @Test("what a conflict leaves is pushed again, then pulled, five times at most in one cycle")
    func conflicts() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        var rounds = 0
        while script.openNames == ["prepare"], rounds < 20 {
            rounds += 1
            script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: true))))
            script.answer("send", .batchSent(.success(PushReply(answers: [.conflict(nil)]))))
            var settled = SettledBatch()
            settled.again = [key(1)]
            script.answer("settle", .batchSettled(.success(settled)))
            // The outbox's reader leaves deferred objects out.
            if rounds == 5 { script.answer("prepare", nothingToSend) }
        }
        #expect(rounds == 5)
        #expect(script.openNames == ["fetch"])
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        #expect(script.reports == ["started local save", "finished"])
        #expect(script.summaries.first?.deferred == 1)
        // It is tried again later.
        #expect(script.fire(.cycle) == ["fetch"])
    }

    @Test("a batch that is refused as a whole is halved down to one change, which is blocked")
    func refusal() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1, 2, 3, 4), isLast: true))))
        #expect(script.answer("send", .batchSent(.failure(.of(.batchRefused)))) == ["take back"])
        #expect(script.answer("take back", .attemptsTakenBack(.success(()))) == ["prepare 2"])
        script.answer("prepare 2", .batchPrepared(.success(PreparedBatch(batch: batch(1, 2), isLast: false))))
        // The batch that was read ahead is read again, smaller.
        #expect(script.openNames == ["send", "prepare 2"])
        script.answer("prepare 2", .batchPrepared(.success(PreparedBatch(batch: batch(3, 4), isLast: true))))
        #expect(script.answer("send", .batchSent(.failure(.of(.batchRefused)))) == ["take back", "take back"])
        #expect(script.answer("take back", .attemptsTakenBack(.success(()))) == [])
        #expect(script.answer("take back", .attemptsTakenBack(.success(()))) == ["prepare 1"])
        script.answer("prepare 1", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: false))))
        script.answer("prepare 1", nothingToSend)
        #expect(script.answer("send", .batchSent(.failure(.of(.batchRefused)))) == ["take back", "settle"])
        #expect(script.answer("take back", .attemptsTakenBack(.success(()))) == ["prepare 1"])
    }

    @Test("a save is cut only when it was refused alone, and the next one goes as a whole again")
    func refusedSave() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1, 2, save: 7), isLast: false))))
        script.answer("prepare", nothingToSend)
        #expect(script.answer("send", .batchSent(.failure(.of(.batchRefused)))) == ["take back"])
        #expect(script.answer("take back", .attemptsTakenBack(.success(()))) == ["prepare 1 cut"])
        script.answer("prepare 1 cut", .batchPrepared(.success(PreparedBatch(batch: batch(1, save: 7), isLast: false))))
        script.answer("prepare 1 cut", nothingToSend)
        #expect(script.answer("send", .batchSent(.success(PushReply(answers: [.done(changeTag: nil)])))) == ["settle"])
        var settled = SettledBatch()
        settled.sent = 1
        settled.untouched = [key(2)]
        #expect(script.answer("settle", .batchSettled(.success(settled))) == ["prepare 2"])
    }
}
