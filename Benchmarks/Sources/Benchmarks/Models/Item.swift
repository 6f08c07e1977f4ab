import Backstitch
import GRDB
import Harness

/// A row of ten integers.
final class Item: ManagedObject {
    var i0: Int {
        get { self["i0"] }
        set { self["i0"] = newValue }
    }
    var i1: Int {
        get { self["i1"] }
        set { self["i1"] = newValue }
    }
    var i2: Int {
        get { self["i2"] }
        set { self["i2"] = newValue }
    }
    var i3: Int {
        get { self["i3"] }
        set { self["i3"] = newValue }
    }
    var i4: Int {
        get { self["i4"] }
        set { self["i4"] = newValue }
    }
    var i5: Int {
        get { self["i5"] }
        set { self["i5"] = newValue }
    }
    var i6: Int {
        get { self["i6"] }
        set { self["i6"] = newValue }
    }
    var i7: Int {
        get { self["i7"] }
        set { self["i7"] = newValue }
    }
    var i8: Int {
        get { self["i8"] }
        set { self["i8"] = newValue }
    }
    var i9: Int {
        get { self["i9"] }
        set { self["i9"] = newValue }
    }

    /// The sum of all ten: reads every value.
    var sum: Int { i0 &+ i1 &+ i2 &+ i3 &+ i4 &+ i5 &+ i6 &+ i7 &+ i8 &+ i9 }
}

extension ManagedObjectModel {
    static let items = ManagedObjectModel([
        EntityDescription("Item", class: Item.self, (0..<10).map { .attribute("i\($0)", .integer64, default: 0) })
    ])
}

/// The same row as a GRDB record decoded by name, written by hand as in GRDB's documentation.
struct ItemRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    var i0: Int, i1: Int, i2: Int, i3: Int, i4: Int, i5: Int, i6: Int, i7: Int, i8: Int, i9: Int

    init(row: Row) {
        (i0, i1, i2, i3, i4) = (row["i0"], row["i1"], row["i2"], row["i3"], row["i4"])
        (i5, i6, i7, i8, i9) = (row["i5"], row["i6"], row["i7"], row["i8"], row["i9"])
    }

    init(_ cells: ArraySlice<Int64>) {
        let first = cells.startIndex
        func cell(_ index: Int) -> Int { Int(cells[first + index]) }
        (i0, i1, i2, i3, i4) = (cell(0), cell(1), cell(2), cell(3), cell(4))
        (i5, i6, i7, i8, i9) = (cell(5), cell(6), cell(7), cell(8), cell(9))
    }

    func encode(to container: inout PersistenceContainer) {
        (container["i0"], container["i1"], container["i2"], container["i3"], container["i4"]) = (i0, i1, i2, i3, i4)
        (container["i5"], container["i6"], container["i7"], container["i8"], container["i9"]) = (i5, i6, i7, i8, i9)
    }

    var sum: Int { i0 &+ i1 &+ i2 &+ i3 &+ i4 &+ i5 &+ i6 &+ i7 &+ i8 &+ i9 }
}

/// The same row as a GRDB record decoded by position.
struct PositionalItemRecord: FetchableRecord, TableRecord {
    static let databaseTableName = "item"
    let i0: Int, i1: Int, i2: Int, i3: Int, i4: Int, i5: Int, i6: Int, i7: Int, i8: Int, i9: Int

    init(row: Row) {
        (i0, i1, i2, i3, i4) = (row[0], row[1], row[2], row[3], row[4])
        (i5, i6, i7, i8, i9) = (row[5], row[6], row[7], row[8], row[9])
    }

    var sum: Int { i0 &+ i1 &+ i2 &+ i3 &+ i4 &+ i5 &+ i6 &+ i7 &+ i8 &+ i9 }
}

/// The same row as a GRDB record decoded through Codable.
struct CodableItemRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    let i0: Int, i1: Int, i2: Int, i3: Int, i4: Int, i5: Int, i6: Int, i7: Int, i8: Int, i9: Int

    var sum: Int { i0 &+ i1 &+ i2 &+ i3 &+ i4 &+ i5 &+ i6 &+ i7 &+ i8 &+ i9 }
}

/// The numbers of all rows, ten for each row.
struct ItemCells {
    let cells: [Int64]
    let count: Int
    let sum: Int64

    init(_ count: Int, seed: UInt64 = 1) {
        var random = RandomSource(seed: seed)
        cells = (0..<count * 10).map { _ in Int64(random.next() >> 40) }
        self.count = count
        sum = cells.reduce(0, &+)
    }

    subscript(row: Int) -> ArraySlice<Int64> { cells[row * 10..<row * 10 + 10] }

    static let table = "CREATE TABLE item (\((0..<10).map { "i\($0) INT" }.joined(separator: ", ")))"
    static let columns = (0..<10).map { "i\($0)" }.joined(separator: ", ")
}
