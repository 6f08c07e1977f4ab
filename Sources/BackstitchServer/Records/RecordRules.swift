import BackstitchSupport
import CloudWire

/// The rules for names and values. Names are always compared byte by byte.
enum RecordRules {
    static let maximumNameLength = 255

    /// The reason to refuse a record name, or nil. All alphabets are accepted, while the real service refuses some.
    static func fault(inRecordName name: String) -> String? {
        guard !name.isEmpty else { return "recordName is missing" }
        guard name.utf8.count <= maximumNameLength else { return "recordName is longer than 255 bytes" }
        guard name.utf8.first != UInt8(ascii: "_") else { return "recordName must not start with '_'" }
        guard isPlain(name) else { return "recordName holds control characters" }
        return nil
    }

    /// The reason to refuse a record type, or nil.
    static func fault(inRecordType type: String) -> String? {
        guard isIdentifier(type) else {
            return "recordType '\(type.shown())' must be 1 to 255 letters, digits and '_' and start with a letter"
        }
        return nil
    }

    /// The reason to refuse a field name, or nil. A share may also have the system's fields.
    static func fault(inFieldName name: String, ofShare isShare: Bool) -> String? {
        if isShare, fieldsOfShares.contains(name) { return nil }
        return fault(inFieldName: name)
    }

    /// Whether a record to be saved declares itself a share.
    static func isShare(_ record: WireRecord) -> Bool {
        record.recordType == WireShare.recordType || record.recordName == WireShare.zoneShareName
    }

    /// The system's fields of a share.
    private static let fieldsOfShares: Set = ["cloudkit.title", "cloudkit.type", "cloudkit.thumbnailImageData"]

    /// The reason to refuse a field name of the app, or nil.
    static func fault(inFieldName name: String) -> String? {
        guard isIdentifier(name) else {
            return "field name '\(name.shown())' must be 1 to 255 letters, digits and '_' and start with a letter"
        }
        return nil
    }

    /// The reason to refuse a zone name, or nil.
    static func fault(inZoneName name: String) -> String? {
        guard !name.isEmpty, name.utf8.count <= maximumNameLength else { return "zoneName must be 1 to 255 bytes" }
        guard name.utf8.first != UInt8(ascii: "_") else { return "zoneName must not start with '_'" }
        guard name.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return "zoneName must be printable ASCII" }
        return nil
    }

    /// The maximum number of assets in all fields of a record.
    static let mostAssets = 1_024

    /// The reason to refuse this number of assets, or nil.
    static func fault(inAssetCount count: Int, of name: String) -> String? {
        guard count > mostAssets else { return nil }
        return "\(WireError.limitExceededPrefix): record '\(name)' has \(count) assets, at most \(mostAssets); "
            + "put some of them into records of their own"
    }

    /// The maximum number of references with VALIDATE or DELETE_SELF in all fields of a record.
    static let mostReferences = 1_024

    /// The reason to refuse this number of references with an action, or nil.
    static func fault(inReferenceCount count: Int, of name: String) -> String? {
        guard count > mostReferences else { return nil }
        return "\(WireError.limitExceededPrefix): record '\(name)' has \(count) references with an action, at most "
            + "\(mostReferences); put some of them into records of their own"
    }

    /// The maximum bytes of a subscription as JSON. It is the limit of Apple's notifications.
    static let maximumSubscription = 4_096

    /// Checks the size of a subscription as JSON.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if it is larger than ``maximumSubscription``.
    static func requireSize(of subscription: WireSubscription) throws(WireError) {
        let size: Int
        do throws(WireCodingError) { size = try subscription.wireJSON().count } catch {
            throw WireError(.badRequest, error.description)
        }
        guard size <= maximumSubscription else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): subscription '\(subscription.subscriptionID)' has \(size) bytes, "
                    + "at most \(maximumSubscription)")
        }
    }

    /// Whether a text is a valid user name: 1 to 255 bytes, without control characters.
    static func isValidUser(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= maximumNameLength && isPlain(name)
    }

    private static func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// Whether a text is 1 to 255 letters, digits and `_`, and starts with a letter.
    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= maximumNameLength else { return false }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
