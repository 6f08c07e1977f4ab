import Foundation

extension AttributeDescription {
    /// Returns the value in the form that the attribute keeps: integers in range, dates rounded to the millisecond. A
    /// value of another type is refused, except for an exact widening (an integer for a double or decimal).
    ///
    /// - Throws: ``BackstitchError/Code/invalidValue`` with the attribute, its type and the value.
    package func accept(_ value: Value) throws(BackstitchError) -> Value {
        switch (type, value) {
        case (_, .null): return .null
        case (.integer16, .int(let number)): if Int16(exactly: number) != nil { return value }
        case (.integer32, .int(let number)): if Int32(exactly: number) != nil { return value }
        case (.integer64, .int): return value
        case (.boolean, .bool), (.string, .string), (.uuid, .uuid), (.uri, .uri), (.transformable, .data): return value
        case (.double, .double): return value
        case (.double, .int(let number)): if let exact = Double(exactly: number) { return .double(exact) }
        case (.float, .double(let number)):
            // Infinity and NaN are values of a float. A finite number that would become infinity is out of its range.
            if Float(number).isFinite || !number.isFinite { return .double(Double(Float(number))) }
        case (.float, .int(let number)): if let exact = Float(exactly: number) { return .double(Double(exact)) }
        case (.decimal, .decimal(let number)): if !number.isNaN { return value }
        case (.decimal, .int(let number)): return .decimal(Decimal(number))
        case (.date, .date(let date)): if !date.timeIntervalSince1970.isNaN { return .date(date.roundedToMilliseconds) }
        case (.binary, .data): return value
        case (.binary, .asset), (.binary, .file): if allowsExternalStorage { return value }
        default: break
        }
        throw BackstitchError(
            .invalidValue, "\(name) is \(type), which takes \(type.values), and cannot hold \(value.summary)", key: name
        )
    }
}

extension AttributeType {
    /// The accepted values, in words for the message.
    fileprivate var values: String {
        switch self {
        case .integer16: "an integer from \(Int16.min) to \(Int16.max)"
        case .integer32: "an integer from \(Int32.min) to \(Int32.max)"
        case .integer64: "an integer"
        case .decimal: "a Decimal or an integer"
        case .double: "a Double or an integer that is one exactly"
        case .float: "a Double of up to \(Float.greatestFiniteMagnitude), or an integer that is a Float exactly"
        case .string: "a String"
        case .boolean: "a Bool"
        case .date: "a Date"
        case .binary: "Data, or an Asset if its storage is external"
        case .uuid: "a UUID"
        case .uri: "a URL"
        case .transformable: "the Data that its transformer makes"
        }
    }
}

extension String {
    /// The first 40 scalars: one character may have any number of combining marks.
    fileprivate var beginning: String {
        guard let end = unicodeScalars.index(startIndex, offsetBy: 40, limitedBy: endIndex), end < endIndex else {
            return self
        }
        return String(unicodeScalars[..<end]) + "…"
    }
}

extension Value {
    /// The value in few words, for messages: its type, and the start of long texts.
    package var summary: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "the boolean \(value)"
        case .int(let value): "the integer \(value)"
        case .double(let value): "the number \(value)"
        case .decimal(let value): "the decimal \(value)"
        case .string(let value): "the string \"\(value.beginning)\""
        case .date(let value): "the date \(value.text)"
        case .data(let value): "\(value.count) bytes"
        case .uuid(let value): "the UUID \(value)"
        case .uri(let value): "the URI \(value)"
        case .asset(let value): "the asset \(value.checksum) of \(value.size) bytes"
        case .file(let value): "the file \(value.url.path)"
        case .object(let value): "the object \(value)"
        }
    }
}
