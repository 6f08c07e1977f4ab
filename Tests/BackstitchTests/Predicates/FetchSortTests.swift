import Backstitch
import Foundation
import Testing

@Suite("order of objects")
struct FetchSortTests {
    private func order(_ subjects: [MemorySubject], _ descriptors: FetchSortDescriptor...) throws -> [UInt64] {
        let bench = try PredicateBench()
        let resolved = try descriptors.map { try $0.resolved(for: bench.note, in: bench.model) }
        let sorted = try resolved.sorted(subjects)
        for (left, right) in zip(sorted, sorted.dropFirst()) {
            #expect(try resolved.compare(left, right) == .orderedAscending)
            #expect(try resolved.compare(right, left) == .orderedDescending)
            #expect(try resolved.compare(left, left) == .orderedSame)
        }
        return sorted.map(\.objectID.key.low)
    }

    @Test("nil is first ascending and last descending, ties go by key")
    func nils() throws {
        let notes = [(4, nil), (3, 1), (2, 2), (1, 1), (5, nil)].map { number, size -> MemorySubject in
            MemorySubject("Note", UInt64(number), size.map { ["size": .int(Int64($0))] } ?? [:])
        }
        #expect(try order(notes, .ascending("size")) == [4, 5, 1, 3, 2])
        #expect(try order(notes, .descending("size")) == [2, 1, 3, 4, 5])
        #expect(try order(notes) == [1, 2, 3, 4, 5])
    }

    @Test("text is ordered by bytes, or folded; the next descriptor decides between equal ones")
    func text() throws {
        let notes = zip(UInt64(1)..., ["b", "A", "a", "B", "é", "z"]).map { number, title in
            MemorySubject("Note", number, ["title": .string(title), "size": .int(-Int64(number))])
        }
        #expect(try order(notes, .ascending("title")) == [2, 4, 3, 1, 6, 5])
        #expect(try order(notes, .ascending("title", options: .caseInsensitive)) == [2, 3, 1, 4, 6, 5])
        #expect(
            try order(notes, .ascending("title", options: .caseInsensitive), .ascending("size")) == [3, 2, 4, 1, 6, 5])
        #expect(
            try order(notes, .descending("title", options: [.caseInsensitive, .diacriticInsensitive])) == [
                6, 5, 1, 4, 2, 3,
            ])
    }

    @Test("paths lead through to-one relationships; numbers, dates, booleans and decimals go by value")
    func paths() throws {
        let folders = [("b", 1), ("a", 2)].map { MemorySubject("Folder", UInt64($0.1 + 100), ["name": .string($0.0)]) }
        let notes = [
            MemorySubject("Note", 1, ["done": true, "price": .decimal(10), "score": 2], ["folder": [folders[0]]]),
            MemorySubject("Note", 2, ["done": false, "price": .decimal(9), "score": -1], ["folder": [folders[1]]]),
            MemorySubject("Note", 3, ["price": .decimal(-9), "score": .double(.nan)]),
        ]
        #expect(try order(notes, .ascending("folder.name")) == [3, 2, 1])
        #expect(try order(notes, .descending("folder.name")) == [1, 2, 3])
        #expect(try order(notes, .ascending("done")) == [3, 2, 1])
        #expect(try order(notes, .ascending("price")) == [3, 2, 1])
        #expect(try order(notes, .ascending("score")) == [3, 2, 1])
    }

    @Test(
        "what has no order is an error",
        arguments: ["tags.name", "folder", "raw", "photo", "shape", "nothing", "title.x"])
    func faults(key: String) throws {
        let bench = try PredicateBench()
        let error = #expect(throws: BackstitchError.self) {
            try FetchSortDescriptor(key).resolved(for: bench.note, in: bench.model)
        }
        #expect(error?.code == .invalidPredicate)
        #expect(throws: BackstitchError.self) {
            try FetchSortDescriptor("size", options: .caseInsensitive).resolved(for: bench.note, in: bench.model)
        }
    }
}
