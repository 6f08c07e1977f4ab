import Backstitch
import CloudWire
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("a cycle reads several zones together")
struct JointPullTests {
    private func work(_ zones: ClosedRange<Int64>) -> [ZoneWork] {
        zones.map { ZoneWork(zone: $0, isSetUp: true, isUnread: false, hasNews: true, hasUnsent: false) }
    }

    /// A script that has found zones with news and opened them. Each is at the token "0".
    private func script(_ zones: ClosedRange<Int64>, atOnce: Int = 2, records: Int = 12) -> EngineScript {
        var settings = SyncEngine.Settings()
        (settings.zonesTogether, settings.mostZonesTogether, settings.recordsTogether) = (atOnce, 4, records)
        var script = EngineScript(settings: settings)
        script.foundZones = nil
        script.tell(.trigger("test", ticket: 1))
        script.answer("fetch", .pageFetched(.success(page("t"))))
        script.answer("apply", .pageApplied(.success(AppliedChanges())))
        script.answer("prepare", nothingToSend)
        script.answer("zones", .zonesFound(.success(FoundZones(work(zones)))))
        open(zones, &script)
        return script
    }

    private func open(_ zones: ClosedRange<Int64>, _ script: inout EngineScript) {
        script.answer("open \(Array(zones))", .zonesOpened(.success(OpenedZones(zones.map(cursor)))))
    }

    private func cursor(_ zone: Int64) -> ZoneCursor { ZoneCursor(zone: zone, token: "0") }

    private func pages(
        _ zones: Int64..., more: Set<Int64> = [], unanswered: [Int64] = [], records: Int = 1
    ) -> SyncEngine.Event {
        let record = WireRecord(recordName: key(1).uuidString)
        let pages = zones.map { zone in
            ZonePage(
                zone: zone,
                FetchedPage(
                    base: "0", token: "1", moreComing: more.contains(zone),
                    records: Array(repeating: record, count: records)))
        }
        return .pagesFetched(.success(FetchedPages(pages, unanswered: unanswered)))
    }

    private func applied(_ zones: Int64..., unsent: Set<Int64> = []) -> SyncEngine.Event {
        .pagesApplied(
            .success(
                AppliedPages(
                    zones.map { zone in
                        var changes = AppliedChanges()
                        changes.hasUnsent = unsent.contains(zone)
                        return (zone, changes)
                    })))
    }

    private func fetch(_ zones: Int64..., after token: String = "0") -> String {
        "fetch \(zones.map { "\($0) after \(token)" })"
    }

    @Test("the next zones are asked about while pages are applied; those that have more are asked again with them")
    func pipelined() {
        var script = script(1...4)
        #expect(script.openNames == [fetch(1, 2)])
        script.answer(fetch(1, 2), pages(1, 2, more: [2]))
        let mixed = "fetch [\"2 after 1\", \"3 after 0\", \"4 after 0\"]"
        // As little as came, more zones are asked about at once.
        #expect(script.openNames == [mixed, "apply [1, 2]"])
        script.answer("apply [1, 2]", applied(1, 2))
        script.answer(mixed, pages(2, 3, 4))
        #expect(script.answer("apply [2, 3, 4]", applied(2, 3, 4)) == [])
        #expect(script.answered == [1: "finished"])
    }

    @Test("a zone that the answer or the store has left out is worked in by itself, after the others")
    func leftOut() {
        var script = script(1...3, atOnce: 3)
        script.answer(fetch(1, 2, 3), pages(1, 3))
        #expect(script.answer("apply [1, 3]", applied(1)) == ["fetch in 2"])
        #expect(script.answer("fetch in 2", .pageFetched(.failure(.of(.permanent)))) == ["fetch in 3"])
        script.answer("fetch in 3", .pageFetched(.success(page("u"))))
        script.answer("apply in 3", .pageApplied(.success(AppliedChanges())))
        script.answer("prepare in 3", nothingToSend)
        // The failing zone is reported, and has not delayed the others.
        #expect(script.answered == [1: "failed"])
    }

    @Test("zones that were read together are not read again before something is sent there")
    func sent() {
        var script = script(1...2)
        script.answer(fetch(1, 2), pages(1, 2))
        #expect(script.answer("apply [1, 2]", applied(1, 2, unsent: [2])) == ["prepare in 2"])
        script.answer("prepare in 2", nothingToSend)
        #expect(script.answered == [1: "finished"])
    }

    @Test("zones for which an answer had no room are asked about again, fewer at once, and not for ever")
    func noRoom() {
        var script = script(1...4, atOnce: 4)
        script.answer(fetch(1, 2, 3, 4), pages(1, unanswered: [2, 3, 4]))
        #expect(script.openNames == [fetch(2, 3), "apply [1]"])
        script.answer("apply [1]", applied(1))
        for _ in 0..<4 { script.answer(fetch(2, 3), pages(unanswered: [2, 3])) }
        #expect(script.openNames == [fetch(4)])
        script.answer(fetch(4), pages(4))
        #expect(script.answer("apply [4]", applied(4)) == ["fetch in 2"])
    }

    @Test("no transaction takes more records than it may, but a page is never cut")
    func bounded() {
        var script = script(1...4, atOnce: 4, records: 8)
        script.answer(fetch(1, 2, 3, 4), pages(1, 2, 3, 4, records: 4))
        for part: [Int64] in [[1, 2], [3, 4]] {
            #expect(script.openNames == ["apply \(part)"])
            script.answer("apply \(part)", part == [1, 2] ? applied(1, 2) : applied(3, 4))
        }
        #expect(script.answered == [1: "finished"])
    }

    @Test("after a broken line the zones that are left are read from where the store stands")
    func retried() {
        var script = script(1...4)
        script.answer(fetch(1, 2), pages(1, 2))
        script.answer(fetch(3, 4), .pagesFetched(.failure(.offline)))
        #expect(script.answer("apply [1, 2]", applied(1, 2)) == [])
        #expect(script.fire(.step) == ["open [3, 4]"])
    }

    @Test("an answer that takes too long is asked for with fewer zones, and at last for each by itself")
    func slow() {
        var slow = SyncFailure.offline
        slow.tookTooLong = true
        var script = script(1...8, atOnce: 8)
        #expect(script.answer(fetch(1, 2, 3, 4, 5, 6, 7, 8), .pagesFetched(.failure(slow))) == ["open \(Array(1...8))"])
        open(1...8, &script)
        #expect(script.answer(fetch(1, 2), .pagesFetched(.failure(slow))) == ["fetch in 1"])
    }

    @Test("a server that refuses the request as a whole is asked for each zone by itself")
    func refused() {
        for kind in [SyncFailure.Kind.permanent, .zoneNotFound, .tokenRefused] {
            var script = script(1...2)
            #expect(script.answer(fetch(1, 2), .pagesFetched(.failure(.of(kind)))) == ["fetch in 1"])
        }
    }

    @Test("a cycle that is cancelled between pages applies none that it has in its hand")
    func cancelled() {
        var script = script(1...4)
        script.answer(fetch(1, 2), pages(1, 2))
        script.tell(.paused(true))
        script.answer(fetch(3, 4), pages(3, 4))
        #expect(script.answer("apply [1, 2]", applied(1, 2)) == [])
        #expect(script.refused[1] != nil || script.answered == [1: "failed"])
    }
}
