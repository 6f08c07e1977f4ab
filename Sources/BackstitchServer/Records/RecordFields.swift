import CloudWire

/// The fields of a record as stored: the wire's JSON, encoded by this server from the values it has read.
enum RecordFields {
    /// Encodes fields, without the cleared ones.
    ///
    /// - Throws: BAD_REQUEST if the result is larger than a record may be.
    static func encode(_ fields: [String: WireValue?], of name: String, limit: Int) throws(WireError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(WireCodingError) {
            let hasCleared = fields.contains { $0.value == nil }
            bytes = try WireRecord.encodeFields(hasCleared ? fields.filter { $0.value != nil } : fields, of: name)
        } catch {
            throw WireError(.badRequest, error.description)
        }
        guard bytes.count <= limit else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): record '\(name)' has \(bytes.count) bytes of fields, at most \(limit)"
            )
        }
        return bytes
    }

    /// The stored fields with a later change applied to them.
    ///
    /// - Parameter keepingOthers: Whether fields outside the change are kept.
    static func merge(
        _ change: PreparedFields, into stored: [String: WireValue?], keepingOthers: Bool
    ) -> [String: WireValue?] {
        var result = keepingOthers ? stored : [:]
        for (name, value) in change.values {
            guard let value else {
                result.removeValue(forKey: name)
                continue
            }
            if change.inferred.contains(name), let old = stored[name] ?? nil {
                result[name] = FieldTypes.adapt(value, to: old)
            } else {
                result[name] = value
            }
        }
        return result
    }
}
