import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// A record that cannot become an object yet.
struct ParkedNote {
    let reason: String
    let record: WireRecord?
}

/// The stored form is a line with the reason, then the record.
extension ParkedNote: SyncPropertyValue {
    init(storedForm: Data) throws {
        let lines = storedForm.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        reason = String(decoding: lines.first ?? Data(), as: UTF8.self)
        record = try lines.count == 2 ? WireRecord(wireAnswer: Array(lines[1])) : nil
    }

    var storedForm: Data? {
        get throws { Data("\(reason)\n".utf8) + Data(try record?.wireJSON() ?? []) }
    }
}
