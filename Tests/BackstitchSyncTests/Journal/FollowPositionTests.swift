import Backstitch
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("how far followed queries are read") struct FollowPositionTests {
    private func queries() throws -> [FollowedQuery] {
        let model = SyncedModel(try SyncTestModel.resolved())
        return try ["rank < 10", "rank > 50"].flatMap { format in
            let request = FollowedRequest(entityName: "Note", predicate: try FetchPredicate(format: format))
            return try FollowedQuery.queries(of: request, in: model)
        }
    }

    private func read(_ position: inout FollowPosition, at now: Int64) throws {
        for query in try queries() {
            var place = FollowPosition.Place()
            (place.isReading, place.isAsked, place.checked) = (false, true, now)
            position.places[query.id] = place
        }
    }

    @Test("without a feed each query is asked for what is new in each pull, and for everything once a day")
    func daily() throws {
        let queries = try queries()
        var position = FollowPosition()
        try read(&position, at: 1_000)
        #expect(position.nextStep(of: queries, hasExtensions: false) == nil)
        #expect(position.beginPull(of: queries, at: 2_000).isEmpty)
        for query in queries {
            guard case .read(let next)? = position.nextStep(of: queries, hasExtensions: false) else {
                Issue.record("nothing is read of \(query.id)")
                return
            }
            #expect(next.id == query.id && position.places[query.id]?.isReading == false)
            position.places[query.id]?.isAsked = true
        }
        #expect(position.nextStep(of: queries, hasExtensions: false) == nil)
        // A day later, and when the clock has gone back.
        for now in [1_001 + FollowPosition.checkTime, 0] {
            try read(&position, at: 1_000)
            _ = position.beginPull(of: queries, at: now)
            #expect(position.places.values.allSatisfy { $0.isReading })
        }
    }

    @Test("with a feed nothing else is asked once everything was read, and an ended feed has everything read again")
    func feed() throws {
        let queries = try queries()
        var position = FollowPosition()
        guard case .open? = position.nextStep(of: queries, hasExtensions: true) else {
            Issue.record("the feed is not opened before anything is read")
            return
        }
        position.feed = "t"
        try read(&position, at: 1_000)
        _ = position.beginPull(of: queries, at: 1_000 + 2 * FollowPosition.checkTime)
        guard case .feed("t")? = position.nextStep(of: queries, hasExtensions: true) else {
            Issue.record("the feed is not read")
            return
        }
        position.isFed = true
        #expect(position.nextStep(of: queries, hasExtensions: true) == nil)
        position.readAgain()
        #expect(position.feed == nil && position.places.values.allSatisfy { $0.isReading && $0.marker == nil })
    }

    @Test("queries that are followed no more are named once, and a refusal holds for a while")
    func ends() throws {
        let queries = try queries()
        var position = FollowPosition()
        try read(&position, at: 1_000)
        #expect(position.beginPull(of: [queries[1]], at: 1_000) == [queries[0].id])
        #expect(position.beginPull(of: [queries[1]], at: 1_000).isEmpty)
        position.places[queries[1].id]?.refusal = "no"
        position.places[queries[1].id]?.refused = 1_000
        _ = position.beginPull(of: [queries[1]], at: 600_000)
        #expect(position.nextStep(of: [queries[1]], hasExtensions: false) == nil)
        _ = position.beginPull(of: [queries[1]], at: 601_001)
        #expect(position.isAnswered(queries[1]))
    }

    @Test("a position is the same after it was kept")
    func kept() throws {
        var position = FollowPosition()
        try read(&position, at: 1_000)
        (position.feed, position.unswept) = ("t", ["q": 3])
        #expect(try FollowPosition(try position.text) == position)
        #expect(try FollowPosition.feed(in: position.text) == "t" && FollowPosition.feed(in: nil) == nil)
        let list = FollowList(requests: [
            FollowedRequest(entityName: "Note", predicate: try FetchPredicate(format: "rank IN {1, 2}")),
            FollowedRequest(entityName: "Tag", includesSubentities: false),
        ])
        let form = try #require(try list.storedForm)
        #expect(try FollowList(storedForm: form)?.requests == list.requests)
    }
}
