import Backstitch
import BackstitchTestKit
import Foundation
import TestSupport

extension Library {
    /// A library of notes, numbered in every attribute, so that each has unique values.
    static func ofNotes(_ count: Int, _ random: inout SeededGenerator) throws -> Library {
        let library = try Library()
        for number in 0..<count {
            let object = try library.insert("Note", key: random.key())
            try object.set("title", .string("note \(number)"))
            try object.set("size", .int(Int64(number)))
            try object.set("score", .double(Double(number)))
            try object.set("price", .decimal(Decimal(number)))
            try object.set("created", .date(Date(milliseconds: Int64(number))))
            try object.set("serial", .uuid(random.key().uuid))
            try object.set("raw", .data(Data("\(number)".utf8)))
        }
        library.connect()
        return library
    }
}
