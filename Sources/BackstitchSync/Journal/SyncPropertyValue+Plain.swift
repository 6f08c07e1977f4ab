import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

extension String: SyncPropertyValue {
    init?(storedForm: Data) { self.init(decoding: storedForm, as: UTF8.self) }

    var storedForm: Data? { Data(utf8) }
}

/// Stored in eight bytes, little-endian.
extension Int64: SyncPropertyValue {
    init?(storedForm: Data) {
        guard storedForm.count == 8 else { return nil }
        self.init(littleEndianBytes: storedForm)
    }

    var storedForm: Data? { Data(littleEndianBytes) }
}

/// True is stored as a value, false as no value.
extension Bool: SyncPropertyValue {
    init?(storedForm: Data) { self = true }

    var storedForm: Data? { self ? Data("1".utf8) : nil }
}

extension ObjectKey: SyncPropertyValue {
    init?(storedForm: Data) { self.init(uuidString: String(decoding: storedForm, as: UTF8.self)) }

    var storedForm: Data? { Data(uuidString.utf8) }
}

/// Stored in sixteen bytes for each key.
extension [ObjectKey]: SyncPropertyValue {
    init?(storedForm: Data) {
        guard let keys = ObjectKey.keys(Array<UInt8>(storedForm)) else { return nil }
        self = keys
    }

    var storedForm: Data? { Data(ObjectKey.bytes(self[...])) }
}

extension SweepMode: SyncPropertyValue {
    init?(storedForm: Data) { self.init(rawValue: String(decoding: storedForm, as: UTF8.self)) }

    var storedForm: Data? { rawValue.storedForm }
}

extension WireRecord: SyncPropertyValue {
    init?(storedForm: Data) throws { try self.init(wireAnswer: Array(storedForm)) }

    var storedForm: Data? { get throws { Data(try wireJSON()) } }
}
