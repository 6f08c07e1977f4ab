import Backstitch
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the engine, when things go wrong")
struct EngineFailureTests {
    @Test("an unreachable server is tried three times, then sync is offline and comes back by a timer")
    func offline() {
        var script = EngineScript()
        script.tell(.trigger(.push, ticket: nil))
        script.answer("fetch", .pageFetched(.failure(.offline)))
        #expect(script.fire(.step) == ["fetch"])
        script.answer("fetch", .pageFetched(.failure(.offline)))
        #expect(script.fire(.step) == ["fetch"])
        script.answer("fetch", .pageFetched(.failure(.offline)))
        #expect(script.reports == ["started push", "failed network"])
        #expect(script.engine.status.state == .offline)
        #expect(script.engine.status.lastError?.message == "unreachable")
        // A save does not hurry a server that cannot be reached; it is not forgotten either.
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == [])
        #expect(script.fire(.cycle) == ["fetch"])
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        script.answer("prepare", nothingToSend)
        #expect(script.reports.last == "finished")
        #expect(script.engine.status.state == .idle)
        #expect(script.engine.status.lastError == nil)
    }

    @Test("a save whose cycle fails while it reads waits for another look, though the server tells of changes by then")
    func saveAfterFailedLook() {
        var script = EngineScript(listening: false)
        #expect(script.tell(.trigger(.localSave, ticket: nil)).contains("fetch"))
        script.answer("register", .pushListenerRegistered(.success(true)))
        #expect(script.openNames.contains("listen"))
        for _ in 0..<2 {
            script.answer("fetch", .pageFetched(.failure(.offline)))
            #expect(script.fire(.step) == ["fetch"])
        }
        script.answer("fetch", .pageFetched(.failure(.offline)))
        #expect(script.reports.last == "failed network")
        #expect(script.fire(.cycle) == ["fetch"])
    }

    @Test("after a failure that may last, a save reads too, and without one the next look comes after waits that grow")
    func lastingFailure() {
        var script = EngineScript()
        var waits: [Int64] = []
        script.tell(.trigger(.push, ticket: nil))
        for _ in 0..<6 {
            #expect(script.answer("fetch", .pageFetched(.failure(.of(.permanent)))) == [])
            waits.append((script.timers[.poll] ?? 0) - script.now)
            #expect(script.fire(.poll) == ["fetch"])
        }
        #expect(zip(waits, [30, 60, 120, 240, 480, 600]).allSatisfy { $0 >= $1 * 500 && $0 <= $1 * 1_000 }, "\(waits)")
        script.answer("fetch", .pageFetched(.failure(.of(.permanent))))
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == ["fetch"])
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        script.answer("prepare", nothingToSend)
        #expect(script.reports.last == "finished")
        #expect((script.timers[.poll] ?? 0) - script.now == 600_000)
    }

    @Test("a program that forbids the network is asked again later, told once, and keeps no caller waiting")
    func noConnection() {
        var settings = SyncEngine.Settings()
        settings.asksConnectivity = true
        var script = EngineScript(settings: settings)
        let no = SyncEngine.Event.connectivityAsked(.failure(.of(.noConnection)))
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == ["ask"])
        #expect(script.answer("ask", no) == [])
        #expect(script.reports == ["started local save", "failed server"])
        #expect(script.engine.status.state == .offline && script.engine.status.nextTry != nil)
        // Neither a step is tried again, nor is the same told again.
        #expect(script.timers[.step] == nil)
        #expect(script.fire(.cycle) == ["ask"])
        script.answer("ask", no)
        #expect(script.tell(.trigger("by hand", ticket: 5)) == ["ask"])
        script.answer("ask", no)
        #expect(script.reports.count == 2 && script.refused[5]?.code == .server)
        // Good news ends the wait.
        #expect(script.tell(.trigger(.networkState, ticket: nil)) == ["ask"])
        #expect(script.answer("ask", .connectivityAsked(.success(()))) == ["fetch"])
        #expect(script.reports.last == "started by hand" && script.engine.status.state == .syncing)
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        script.answer("prepare", nothingToSend)
        #expect(script.reports.last == "finished" && script.engine.status.state == .idle)
    }

    @Test("the program is asked for a caller while it waits, and for a save by itself")
    func askedReasons() {
        var settings = SyncEngine.Settings()
        settings.asksConnectivity = true
        var script = EngineScript(settings: settings)
        func asked() -> SyncReason? {
            for case .askConnectivity(let reason) in script.open { return reason }
            return nil
        }
        let no = SyncEngine.Event.connectivityAsked(.failure(.of(.noConnection)))
        script.tell(.trigger("by hand", ticket: 5))
        #expect(asked() == "by hand")
        // One that comes while the program thinks is not covered by its answer.
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("ask", no)
        script.fire(.cycle)
        #expect(asked() == .localSave)
    }

    @Test("a pause while the program is asked for the network ends the cycle before it has begun")
    func pausedWhileAsked() {
        var settings = SyncEngine.Settings()
        settings.asksConnectivity = true
        var script = EngineScript(settings: settings)
        #expect(script.tell(.trigger("by hand", ticket: 5)) == ["ask"])
        script.tell(.paused(true))
        #expect(script.answer("ask", .connectivityAsked(.success(()))) == [])
        #expect(script.answered[5] == "failed")
        #expect(script.tell(.paused(false)) == ["ask"])
    }

    @Test("a cycle ends also when only its last step fails, again and again")
    func laterStep() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        var tries = 0
        while script.reports.last == "started local save", tries < 20 {
            tries += 1
            script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: true))))
            script.answer("send", .batchSent(.failure(.offline)))
            guard script.timers[.step] != nil else { continue }
            // The fate of the batch shows in a pull.
            #expect(script.fire(.step) == ["fetch"])
            script.answer("fetch", .pageFetched(.success(page("1"))))
            #expect(script.answer("apply", .pageApplied(.success(.init()))) == ["prepare"])
        }
        #expect(tries == 3)
        #expect(script.reports.last == "failed network")
    }

    @Test("after a push whose answer was lost the next one comes after a pull, also for a save, and later ones do not")
    func lostAnswer() {
        var script = EngineScript(settings: Self.impatient)
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: true))))
        script.answer("send", .batchSent(.failure(.offline)))
        #expect(script.reports.last == "failed network")
        #expect(script.fire(.cycle) == ["fetch"])
        script.answer("fetch", .pageFetched(.success(page("1"))))
        #expect(script.answer("apply", .pageApplied(.success(.init()))) == ["prepare"])
        script.answer("prepare", nothingToSend)
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == ["prepare"])
    }

    private static let impatient: SyncEngine.Settings = {
        var settings = SyncEngine.Settings()
        settings.stepRetries = 0
        return settings
    }()

    @Test("good news of the network, and who asks, end the wait after a failure")
    func endOfWait() {
        for event in [SyncEngine.Event.trigger(.networkState, ticket: nil), .trigger("now", ticket: 1)] {
            var script = EngineScript()
            script.tell(.trigger(.push, ticket: nil))
            fail(&script, .offline)
            #expect(script.tell(event) == ["fetch"])
            #expect(script.timers[.cycle] == nil)
        }
    }

    @Test("the server's wish to wait is honoured by all but who asks")
    func retryAfter() throws {
        var script = EngineScript()
        script.tell(.trigger(.push, ticket: nil))
        script.answer("fetch", .pageFetched(.failure(.busy(40_000))))
        #expect(script.reports.last == "failed server")
        let time = try #require(script.timers[.cycle])
        #expect(time >= script.now + 40_000)
        #expect(script.tell(.trigger(.networkState, ticket: nil)) == [])
        #expect(script.tell(.trigger("now", ticket: 1)) == ["fetch"])
    }

    @Test("waits grow with failures in a row, and are spread")
    func backOff() {
        let backOff = BackOff(first: 500, longest: 30_000)
        var last: Int64 = 0
        for attempt in 1...12 {
            let shortest = backOff.delay(attempt: attempt, random: 0)
            let full = min(500 << Int64(attempt - 1), 30_000)
            #expect(shortest == full / 2)
            #expect(shortest >= last)
            #expect((0..<100).allSatisfy { backOff.delay(attempt: attempt, random: $0 &* 0x9E37_79B9) <= full })
            last = shortest
        }
    }

    @Test("without valid credentials sync waits for new ones, without a timer")
    func authentication() {
        var script = EngineScript()
        script.tell(.trigger(.push, ticket: nil))
        script.answer("fetch", .pageFetched(.failure(.of(.authentication))))
        #expect(script.engine.status.state == .needsCredentials)
        #expect(script.timers.isEmpty)
        #expect(script.tell(.credentialsChanged) == ["account"])
        #expect(script.answer("account", .accountChecked(.success(false))) == ["fetch"])
    }

    @Test("without room on the server no save is cut")
    func noRoomForSave() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer(
            "prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1, 2, save: 7), isLast: true))))
        #expect(script.answer("send", .batchSent(.failure(.of(.noRoom)))) == ["take back"])
        #expect(script.answer("take back", .attemptsTakenBack(.success(()))) == ["prepare deletions"])
    }

    @Test("without room on the server a batch is halved, then the deletions go, and the rest waits for room")
    func noRoom() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1, 2), isLast: true))))
        #expect(script.answer("send", .batchSent(.failure(.of(.noRoom)))) == ["take back"])
        #expect(script.answer("take back", .attemptsTakenBack(.success(()))) == ["prepare 1"])
        script.answer("prepare 1", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: true))))
        #expect(script.answer("send", .batchSent(.failure(.of(.noRoom)))) == ["take back"])
        #expect(script.answer("take back", .attemptsTakenBack(.success(()))) == ["prepare deletions"])
        script.answer("prepare deletions", .batchPrepared(.success(PreparedBatch(batch: batch(3), isLast: true))))
        let reply = PushReply(answers: [.done(changeTag: nil)])
        #expect(script.answer("send", .batchSent(.success(reply))) == ["settle"])
        #expect(script.answer("settle", .batchSettled(.success(SettledBatch()))) == [])
        #expect(script.reports.last == "failed server")
        #expect(script.engine.status.state == .needsRoom)
        #expect(script.timers[.cycle] != nil)
        // When the time has come it is tried again, by a small batch first.
        script.tell(.timerFired(.cycle))
        #expect(script.engine.status.state == .syncing)
    }

    @Test("a cycle fails only when all its steps have ended, and what the server answered is noted first")
    func companions() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: false))))
        #expect(script.openNames == ["send", "prepare"])
        script.answer("prepare", .batchPrepared(.failure(.of(.permanent))))
        #expect(script.reports == ["started local save"])
        #expect(script.answer("send", .batchSent(.success(PushReply(answers: [.done(changeTag: "a")])))) == ["settle"])
        #expect(script.reports == ["started local save"])
        script.answer("settle", .batchSettled(.success(.init())))
        #expect(script.reports == ["started local save", "failed server"])
    }

    @Test("pausing ends the cycle at its next step, refuses who asks, and loses no wish")
    func pause() {
        var script = EngineScript()
        script.tell(.trigger("first", ticket: 1))
        script.tell(.paused(true))
        #expect(script.reports == ["started first"])
        script.answer("fetch", .pageFetched(.success(page("1"))))
        #expect(script.answered == [1: "failed"])
        #expect(script.reports.last == "failed syncPaused")
        script.tell(.trigger("second", ticket: 2))
        #expect(script.refused[2]?.code == .syncPaused)
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == [])
        #expect(script.engine.status.state == .paused)
        #expect(script.tell(.paused(false)) == ["fetch"])
    }

    @Test("closing refuses everybody who waits, and nothing begins after it")
    func close() {
        var script = EngineScript()
        script.tell(.trigger("first", ticket: 1))
        script.tell(.trigger("second", ticket: 2))
        script.tell(.closed)
        script.tell(.trigger("third", ticket: 3))
        #expect(script.refused.keys.sorted() == [1, 2, 3])
        #expect(script.refused.values.allSatisfy { $0.code == .storeClosed })
        #expect(script.openNames.isEmpty)
        #expect(script.timers.isEmpty)
        #expect(script.engine.status.state == .closed)
    }

    @Test("a long poll that breaks is opened again, and a look is taken for what was missed")
    func pushListener() {
        var script = EngineScript(listening: false)
        script.tell(.trigger(.storeAdded, ticket: nil))
        // The registration ends while the pull runs. Changes made in between are pulled in the same cycle.
        #expect(script.answer("register", .pushListenerRegistered(.success(true))) == ["listen"])
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        #expect(script.answer("prepare", nothingToSend) == ["fetch"])
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        #expect(script.reports.last == "finished")
        script.now += 25_000
        #expect(script.answer("listen", .pushListenerAnswered(.success(false))) == ["listen"])
        #expect(script.answer("listen", .pushListenerAnswered(.failure(.offline))) == [])
        #expect(script.timers[.poll] == script.now + 30_000)
        #expect(script.fire(.pushListener) == ["register"])
        #expect(script.answer("register", .pushListenerRegistered(.success(true))) == ["listen", "fetch"])
    }

    @Test("what lacks its parent on the server is sent once more after a pull, and not a third time in one cycle")
    func parentless() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        for round in 0..<2 {
            script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1, 2), isLast: true))))
            let reply = PushReply(answers: [.parentless(reason: "no parent"), .untouched])
            #expect(script.answer("send", .batchSent(.success(reply))) == ["settle"])
            var settled = SettledBatch()
            (settled.parentless, settled.untouched) = ([key(1)], [key(2)])
            // The others go on.
            #expect(script.answer("settle", .batchSettled(.success(settled))) == ["prepare"])
            #expect(script.engine.cycle?.push.excluded == [key(1)])
            let isOver = round == 1
            #expect(script.answer("prepare", nothingToSend) == (isOver ? [] : ["fetch"]))
            guard !isOver else { break }
            script.answer("fetch", .pageFetched(.success(page("1"))))
            #expect(script.answer("apply", .pageApplied(.success(.init()))) == ["prepare"])
            #expect(script.engine.cycle?.push.excluded == [])
        }
        #expect(script.reports.last == "finished")
        #expect(script.summaries.last?.deferred == 1)
        #expect(script.timers[.cycle] != nil)
    }

    @Test("what lacks its parent once more is refused for good only where that has not been on the server meanwhile")
    func parentlessAgain() {
        let cases: [(String?, Bool)] = [(nil, true), ("made since", false)]
        for (tag, isRefused) in cases {
            var script = EngineScript()
            script.tell(.trigger(.localSave, ticket: nil))
            for round in 0..<2 {
                var lacking = batch(1)
                lacking.items[0].parent = key(9)
                lacking.items[0].parentTag = round == 0 ? nil : tag
                script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: lacking, isLast: true))))
                script.answer("send", .batchSent(.success(PushReply(answers: [.parentless(reason: "no parent")]))))
                guard round == 0 else { break }
                var settled = SettledBatch()
                settled.parentless = [key(1)]
                script.answer("settle", .batchSettled(.success(settled)))
                script.answer("prepare", nothingToSend)
                script.answer("fetch", .pageFetched(.success(page("1"))))
                script.answer("apply", .pageApplied(.success(.init())))
            }
            let answers = script.open.flatMap { effect -> [PushReply.Answer] in
                if case .settleBatch(_, let reply) = effect { reply.answers } else { [] }
            }
            #expect(answers.count == 1)
            if case .refused? = answers.first { #expect(isRefused) } else { #expect(!isRefused) }
        }
    }

    private func fail(_ script: inout EngineScript, _ failure: SyncFailure) {
        script.answer("fetch", .pageFetched(.failure(failure)))
        for _ in 0..<2 {
            script.fire(.step)
            script.answer("fetch", .pageFetched(.failure(failure)))
        }
    }
}
