import Backstitch
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("a cycle works in one zone after another")
struct ZoneCycleTests {
    private func work(_ zone: Int64, news: Bool = false, unsent: Bool = false) -> ZoneWork {
        ZoneWork(zone: zone, isSetUp: true, isUnread: false, hasNews: news, hasUnsent: unsent)
    }

    /// A script that is about to look at zones, after reading and sending in the main one.
    private func script() -> EngineScript {
        var script = EngineScript()
        script.foundZones = nil
        #expect(script.tell(.trigger("test", ticket: 1)) == ["fetch"])
        #expect(script.answer("fetch", .pageFetched(.success(page("t")))) == ["apply"])
        #expect(script.answer("apply", .pageApplied(.success(AppliedChanges()))) == ["prepare"])
        #expect(script.answer("prepare", nothingToSend) == ["zones"])
        return script
    }

    @Test("where there is no main zone, a cycle begins with the others, and ends the first sync when they are read")
    func withoutMainZone() {
        var settings = SyncEngine.Settings()
        settings.hasMainZone = false
        var script = EngineScript(settings: settings, isSetUp: false, isFirstSyncComplete: false)
        script.foundZones = nil
        #expect(script.tell(.trigger("test", ticket: 1)) == ["setUp"])
        #expect(script.answer("setUp", .setUpEnded(.success(()))) == ["zones"])
        #expect(script.answer("zones", .zonesFound(.success([work(1, news: true)]))) == ["fetch in 1"])
        #expect(script.answer("fetch in 1", .pageFetched(.success(page("u")))) == ["apply in 1"])
        #expect(script.answer("apply in 1", .pageApplied(.success(AppliedChanges()))) == ["prepare in 1"])
        script.answer("prepare in 1", nothingToSend)
        #expect(script.engine.mainZone.isFirstSyncComplete)
        // While it hears of others' changes, a save does not ask the server for changed zones.
        script.engine.pushListener.state = .listening
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == ["zones"])
    }

    @Test("the main zone first, then those with something to do: pulled where there is news, else only pushed")
    func order() {
        var script = script()
        let found: FoundZones = [work(1, news: true), work(2), work(3, unsent: true)]
        #expect(script.answer("zones", .zonesFound(.success(found))) == ["fetch in 1"])
        #expect(script.answer("fetch in 1", .pageFetched(.success(page("u")))) == ["apply in 1"])
        #expect(script.answer("apply in 1", .pageApplied(.success(AppliedChanges()))) == ["prepare in 1"])
        #expect(script.answer("prepare in 1", nothingToSend) == ["prepare in 3"])
        let prepared = PreparedBatch(batch: batch(7), isLast: true)
        #expect(script.answer("prepare in 3", .batchPrepared(.success(prepared))) == ["send in 3"])
        let reply = PushReply(answers: [.done(changeTag: "x")])
        #expect(script.answer("send in 3", .batchSent(.success(reply))) == ["settle in 3"])
        var settled = SettledBatch()
        settled.sent = 1
        #expect(script.answer("settle in 3", .batchSettled(.success(settled))) == [])
        #expect(script.answered == [1: "finished"])
        #expect(script.summaries.last?.sent == 1)
    }

    @Test("a zone that is new is made and read; one that is gone is forgotten, and not made again")
    func comesAndGoes() {
        var script = script()
        var new = work(1), gone = work(2)
        (new.isSetUp, new.isUnread, gone.isGone) = (false, true, true)
        #expect(script.answer("zones", .zonesFound(.success([new, gone]))) == ["setUp in 1"])
        #expect(script.answer("setUp in 1", .setUpEnded(.success(()))) == ["fetch in 1"])
        script.answer("fetch in 1", .pageFetched(.success(page("u"))))
        script.answer("apply in 1", .pageApplied(.success(AppliedChanges())))
        #expect(script.answer("prepare in 1", nothingToSend) == ["forgetZone in 2"])
        var dropped = AppliedChanges()
        dropped.changes.deleted = [noteID(9)]
        // One of its name may have come in its place.
        #expect(script.answer("forgetZone in 2", .zoneDropped(.success(dropped))) == ["zones"])
        #expect(script.answer("zones", .zonesFound(.success([work(1)]))) == [])
        #expect(script.summaries.last?.deleted == [noteID(9)])
        #expect(script.engine.zones.keys.sorted() == [0, 1])
    }

    @Test("a zone that is dropped while two steps are under way there is left when both have ended")
    func droppedMeanwhile() {
        var script = script()
        script.answer("zones", .zonesFound(.success([work(1, news: true), work(2, unsent: true)])))
        script.answer("fetch in 1", .pageFetched(.success(page("u", more: true))))
        #expect(script.openNames == ["fetch after u in 1", "apply in 1"])
        #expect(script.answer("apply in 1", .zoneDropped(.success(AppliedChanges()))) == [])
        #expect(script.answer("fetch after u in 1", .zoneDropped(.success(AppliedChanges()))) == ["prepare in 2"])
        #expect(script.answer("prepare in 2", nothingToSend) == ["zones"])
        script.answer("zones", .zonesFound(.success([])))
        #expect(script.answered == [1: "finished"])
    }

    @Test("a zone in which nothing works keeps the others from nothing, and fails the cycle at its end")
    func setAside() {
        var script = script()
        script.answer("zones", .zonesFound(.success([work(1, news: true), work(2, news: true)])))
        // Neither can be read together with the other.
        #expect(script.answer("open [1, 2]", .zonesOpened(.success(OpenedZones([])))) == ["fetch in 1"])
        #expect(script.answer("fetch in 1", .pageFetched(.failure(.of(.permanent)))) == ["fetch in 2"])
        script.answer("fetch in 2", .pageFetched(.success(page("u"))))
        script.answer("apply in 2", .pageApplied(.success(AppliedChanges())))
        #expect(script.answer("prepare in 2", nothingToSend) == [])
        #expect(script.answered == [1: "failed"])
    }

    @Test(
        "a zone gone, or a token refused, while moves settle or zones are looked at costs the main zone nothing",
        arguments: [SyncFailure.Kind.zoneNotFound, .tokenRefused], [true, false])
    func notTheMainZone(kind: SyncFailure.Kind, settles: Bool) {
        var script = script()
        if settles {
            #expect(script.answer("zones", .zonesFound(.success(FoundZones([], mayMove: true)))) == ["moves"])
            #expect(script.answer("moves", .movesSettled(.failure(.of(kind)))) == [])
        } else {
            #expect(script.answer("zones", .zonesFound(.failure(.of(kind)))) == [])
        }
        #expect(script.answered == [1: "failed"])
        #expect(script.engine.mainZone.needs.isEmpty && script.engine.mainZone.maySendUnread)
        // It is looked for again by itself.
        #expect(script.timers[.poll] != nil)
    }

    @Test("a move that other devices have time for keeps neither news nor saves waiting", arguments: [true, false])
    func patience(isNews: Bool) {
        var script = script()
        var settled = SettledMoves()
        settled.wait = 60_000
        #expect(script.answer("zones", .zonesFound(.success(FoundZones([], mayMove: true)))) == ["moves"])
        script.answer("moves", .movesSettled(.success(settled)))
        #expect(script.answered == [1: "finished"] && script.timers[.cycle] == script.now + 60_000)
        if isNews {
            #expect(script.tell(.trigger(.push, ticket: nil)) == ["fetch"])
        } else {
            script.tell(.trigger(.localSave, ticket: nil))
            #expect(script.timers[.cycle].map { $0 <= script.now + 1_000 } == true)
        }
    }

    @Test("a line that breaks in a zone is tried again there")
    func retried() {
        var script = script()
        script.answer("zones", .zonesFound(.success([work(5, news: true)])))
        #expect(script.answer("fetch in 5", .pageFetched(.failure(.offline))) == [])
        #expect(script.fire(.step) == ["fetch in 5"])
    }

    @Test("a save while the cycle is in another zone is sent by the next cycle")
    func savedMeanwhile() {
        var script = script()
        script.answer("zones", .zonesFound(.success([work(1, unsent: true)])))
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("prepare in 1", nothingToSend)
        // The next one begins at once, and only sends.
        #expect(script.openNames == ["prepare"])
        #expect(script.answer("prepare", nothingToSend) == ["zones"])
    }

    @Test("a push that another process left in a zone is read for before anything is sent there")
    func takenOver() {
        var script = EngineScript()
        script.foundZones = nil
        script.tell(.lostLead)
        script.tell(.tookOver(isSetUp: true, isFirstSyncComplete: true, isOff: false))
        script.answer("fetch", .pageFetched(.success(page("t"))))
        script.answer("apply", .pageApplied(.success(AppliedChanges())))
        script.answer("prepare", nothingToSend)
        #expect(script.answer("zones", .zonesFound(.success([work(1, unsent: true)]))) == ["fetch in 1"])
    }

    @Test("without room in one zone the others are read and sent all the same")
    func noRoom() {
        var script = script()
        script.answer("zones", .zonesFound(.success([work(1, unsent: true), work(2, news: true)])))
        let prepared = PreparedBatch(batch: batch(7), isLast: true)
        script.answer("prepare in 1", .batchPrepared(.success(prepared)))
        #expect(script.answer("send in 1", .batchSent(.failure(.of(.noRoom)))) == ["take back in 1"])
        #expect(script.answer("take back in 1", .attemptsTakenBack(.success(()))) == ["prepare deletions in 1"])
        #expect(script.answer("prepare deletions in 1", nothingToSend) == ["fetch in 2"])
        script.answer("fetch in 2", .pageFetched(.success(page("u"))))
        var applied = AppliedChanges()
        applied.mayMissAssets = true
        script.answer("apply in 2", .pageApplied(.success(applied)))
        // The assets that have come are downloaded as well.
        #expect(script.answer("prepare in 2", nothingToSend) == ["assets"])
        #expect(script.answered == [1: "failed"])
        #expect(script.engine.status.state == .needsRoom)
        script.answer("assets", .assetsFetched(missing: 0))
        #expect(script.engine.assets == .complete)
    }

    @Test("deletions are sent though there is no room for keys, and nothing else")
    func noRoomForKeys() {
        var script = script()
        script.answer("zones", .zonesFound(.success([work(1, unsent: true)])))
        #expect(script.answer("prepare in 1", .batchPrepared(.failure(.of(.noRoom)))) == ["prepare deletions in 1"])
        let prepared = PreparedBatch(batch: batch(7), isLast: true)
        #expect(script.answer("prepare deletions in 1", .batchPrepared(.success(prepared))) == ["send in 1"])
        script.answer("send in 1", .batchSent(.success(PushReply(answers: [.done(changeTag: "x")]))))
        var settled = SettledBatch()
        settled.sent = 1
        script.answer("settle in 1", .batchSettled(.success(settled)))
        #expect(script.answered == [1: "failed"])
        #expect(script.engine.status.state == .needsRoom)
    }

    @Test("moves go on though a zone has no room, or takes nothing; it is not tried again in the same cycle")
    func movesBesideFailure() {
        for failure in [SyncFailure.Kind.noRoom, .permanent] {
            var script = script()
            let found = FoundZones([work(1, unsent: true)], mayMove: true)
            script.answer("zones", .zonesFound(.success(found)))
            script.answer("prepare in 1", .batchPrepared(.success(PreparedBatch(batch: batch(7), isLast: true))))
            script.answer("send in 1", .batchSent(.failure(.of(failure))))
            if failure == .noRoom {
                script.answer("take back in 1", .attemptsTakenBack(.success(())))
                #expect(script.answer("prepare deletions in 1", nothingToSend) == ["moves"])
            }
            var settled = SettledMoves()
            settled.zones = [work(1, unsent: true), work(2, unsent: true)]
            #expect(script.answer("moves", .movesSettled(.success(settled))) == ["prepare in 2"])
            #expect(script.answer("prepare in 2", nothingToSend) == ["moves"])
            script.answer("moves", .movesSettled(.success(SettledMoves())))
            #expect(script.answered == [1: "failed"])
        }
    }

    @Test("the first sync ends when all zones were read, though there is no room for what is to be sent")
    func firstSyncWithoutRoom() {
        for isRead in [true, false] {
            var script = EngineScript(isFirstSyncComplete: false)
            script.foundZones = nil
            script.tell(.trigger("test", ticket: 1))
            script.answer("fetch", .pageFetched(.success(page("t"))))
            script.answer("apply", .pageApplied(.success(AppliedChanges())))
            let prepared = PreparedBatch(batch: batch(7), isLast: true)
            script.answer("prepare", .batchPrepared(.success(prepared)))
            script.answer("send", .batchSent(.failure(.of(.noRoom))))
            script.answer("take back", .attemptsTakenBack(.success(())))
            #expect(script.answer("prepare deletions", nothingToSend) == ["zones"])
            var new = work(1, news: true)
            new.isUnread = true
            #expect(script.answer("zones", .zonesFound(.success([new]))) == ["fetch in 1"])
            if isRead {
                script.answer("fetch in 1", .pageFetched(.success(page("u"))))
                script.answer("apply in 1", .pageApplied(.success(AppliedChanges())))
                script.answer("prepare in 1", nothingToSend)
            } else {
                script.answer("fetch in 1", .pageFetched(.failure(.of(.permanent))))
            }
            #expect(script.answered == [1: "failed"])
            #expect(script.engine.status.isFirstSyncComplete == isRead)
        }
    }
}
