import BackstitchSQL
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// The places for indexes in a zone: no user takes them from others.
@Suite("places for indexes") struct QueryPlacesTests {
    private static let now: Int64 = 1_000_000_000
    private let ada = QueryIndexOwner(name: "_ada"), eve = QueryIndexOwner(name: "_eve")
    private let machine = QueryIndexOwner(machine: [1]), other = QueryIndexOwner(machine: [2])

    private func index(_ number: Int, type: String = "T", part: QueryIndex.Part = .value) -> QueryIndex {
        QueryIndex(type: type, components: [.init(field: QueryField(known: "f\(number)"), part: part)])
    }

    private func stored(
        _ numbers: Range<Int>, by maker: QueryIndexOwner, type: String = "T", part: QueryIndex.Part = .value,
        age: Int64 = 0
    ) -> [StoredQueryIndex] {
        numbers.map { number in
            StoredQueryIndex(
                number: Int64(number), index: index(number, type: type, part: part), state: .whole, filled: "",
                used: Self.now - age - Int64(number), maker: maker)
        }
    }

    /// The numbers of the indexes to be removed; nil if there is no place.
    private func leavers(
        _ known: [StoredQueryIndex], type: String = "T", part: QueryIndex.Part = .value, of maker: QueryIndexOwner
    ) -> [Int64]? {
        QueryPlaces(known, at: Self.now).leavers(for: index(999, type: type, part: part), of: maker)?.map(\.number)
    }

    @Test("there is room for so many, and one that was not used for an hour makes room")
    func room() {
        let most = QueryLimits.placesOfType
        #expect(leavers(stored(0..<most - 1, by: ada), of: ada) == [])
        #expect(leavers(stored(0..<most, by: ada), of: ada) == nil)
        #expect(leavers(stored(0..<most, by: ada), type: "U", of: ada) == [])
        #expect(leavers(stored(0..<most, by: ada, age: QueryLimits.restBeforePlace), of: ada) == [Int64(most - 1)])
        let full = stored(0..<most, by: ada) + stored(most..<QueryLimits.places, by: ada, type: "U")
        #expect(leavers(full, type: "V", of: ada) == nil)
        // One of words takes more places.
        #expect(leavers(stored(0..<most - 3, by: ada), part: .words, of: ada) == nil)
        #expect(leavers(stored(0..<most - 4, by: ada), part: .words, of: ada) == [])
        #expect(leavers(stored(0..<most / 4, by: ada, part: .words), of: ada) == nil)
    }

    @Test("who has fewer takes the place of the least used of who has the most, until both have the same")
    func fair() {
        let most = QueryLimits.placesOfType
        #expect(leavers(stored(0..<most, by: eve), of: ada) == [Int64(most - 1)])
        #expect(leavers(stored(0..<most, by: eve), part: .elements, of: ada) == (1...4).map { Int64(most - $0) })
        let half = stored(0..<most / 2, by: eve) + stored(most / 2..<most, by: ada)
        #expect(leavers(half, of: ada) == nil && leavers(half, of: eve) == nil)
        let third = stored(0..<2, by: ada) + stored(2..<most / 2, by: eve) + stored(most / 2..<most, by: machine)
        #expect(leavers(third, of: ada) == [Int64(most - 1)])
    }

    @Test("callers without a user have eight of a type, and take them from none but each other")
    func strangers() {
        let few = QueryLimits.placesOfTypeForStrangers
        #expect(leavers(stored(0..<few - 1, by: machine), of: machine) == [])
        #expect(leavers(stored(0..<few, by: machine), of: machine) == nil)
        #expect(leavers(stored(0..<few, by: machine), of: other) == [Int64(few - 1)])
        #expect(leavers(stored(0..<few, by: machine), of: ada) == [])
        let old = QueryLimits.restBeforePlace + 1
        let most = QueryLimits.placesOfType
        #expect(leavers(stored(0..<most, by: ada, age: old), of: machine) == nil)
        #expect(leavers(stored(0..<most, by: ada, age: old), of: eve) != nil)
        #expect(!QueryIndexOwner(name: "").isStranger && machine != other)
    }

    @Test("queries of many shapes, also of types that no record has, keep nobody else from asking")
    func queries() async throws {
        for kind in StorageKind.allCases {
            try await withServer(
                on: kind,
                {
                    $0.apiTokens = [TokenDigest(of: strong("api"))]
                    $0.users = ["ada", "eve"].map { .init(userRecordName: "_\($0)", webAuthToken: strong($0)) }
                }
            ) { client, _ in
                var nobody = client.on("public")
                nobody.query = "ckAPIToken=\(strong("api"))"
                var ada = client.on("public"), eve = client.on("public")
                (ada.bearer, eve.bearer) = (strong("ada"), strong("eve"))
                try await ada.save("a", ["f0": .int64(1)], zone: nil)
                func ask(_ client: TestClient, _ type: String, _ field: Int = 0) async throws -> Int {
                    let filter = QueryFilter("f\(field)", .equals, .int64(1))
                    return try await client.query(RecordQuery(recordType: type, filterBy: [filter]), zone: nil).count
                }
                for number in 0..<QueryLimits.places / 2 { #expect(try await ask(nobody, "X\(number)") == 0) }
                await expectFailure(.throttled) { try await ask(nobody, "X") }
                for number in 0..<QueryLimits.places / 2 { #expect(try await ask(eve, "Y\(number)") == 0) }
                await expectFailure(.throttled) { try await ask(eve, "Y") }
                for number in 0..<20 { #expect(try await ask(ada, "Item", number) == (number == 0 ? 1 : 0)) }
                // Every caller may use an existing index.
                for client in [nobody, eve, ada] { #expect(try await ask(client, "Item") == 1) }
                await expectFailure(.throttled) { try await ask(nobody, "X") }
                #expect(try await ask(ada, "Item", 19) == 0)
            }
        }
    }

    @Test("callers without a user who ask by 32 system fields have eight indexes made, and are told what helps")
    func systemFields() async throws {
        try await withServer({
            $0.apiTokens = [TokenDigest(of: strong("api"))]
            $0.users = [.init(userRecordName: "_ada", webAuthToken: strong("ada"))]
        }) { client, server in
            var nobody = client.on("public"), ada = nobody
            nobody.query = "ckAPIToken=\(strong("api"))"
            ada.bearer = strong("ada")
            for index in [0, 1] {
                if index == 1 { (nobody.environment, ada.environment) = ("production", "production") }
                try await ada.save("a", zone: nil)
                let names = [
                    "___modTime", "___createTime", "___recordID", "___parent", "___createdBy", "___modifiedBy",
                ]
                let shapes = names.flatMap { first in
                    names.filter { $0 != first }.map {
                        RecordQuery(
                            recordType: "Item", sortBy: [QuerySort(first), QuerySort($0, ascending: false)])
                    }
                }
                var made = 0, last: WireError?
                for shape in shapes.prefix(32) {
                    do {
                        _ = try await nobody.query(shape, zone: nil)
                        made += 1
                    } catch let error as WireError { last = error }
                }
                #expect(made <= QueryLimits.placesOfTypeForStrangers && made > 0)
                #expect(last?.code == .throttled && last?.retryAfter == 600)
                #expect(last?.reason.contains("'Item' by (___") == true, "\(last?.reason ?? "")")
                // An index made for one user is available to every user.
                let refused = try #require(shapes.prefix(32).last)
                #expect(try await ada.query(refused, zone: nil).count == 1)
                #expect(try await nobody.query(refused, zone: nil).count == 1)
            }
        }
    }

    @Test("a guest who may only read leaves the owner places", arguments: StorageKind.allCases)
    func guests(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share([SharedPlace.invitation("bob@example.org", .readOnly)])
            try await place.accept(guid, "bob")
            let bob = place.guest("bob").client
            for number in 0..<QueryLimits.places {
                let request = RecordsQueryRequest(
                    zoneID: SharedPlace.zone, query: RecordQuery(recordType: "X\(number)"))
                let answer: RecordsQueryResponse = try await bob.call(.recordsQuery, request)
                #expect(answer.records.isEmpty)
            }
            for number in 0..<20 {
                let query = RecordQuery(
                    recordType: "Item", filterBy: [QueryFilter("f\(number)", .notEquals, .int64(1))],
                    sortBy: [QuerySort("f\(number)")])
                #expect(try await place.alice.query(query).map(\.recordName) == ["list"])
            }
        }
    }
}
