/// Appends JSON without white space to a buffer of UTF-8 bytes.
///
/// The caller balances objects and arrays; the writer adds the commas. A value without a JSON form is noted, and
/// `finish()` throws for it. So the many `write(to:)` need no `try`.
package struct JSONWriter {
    var bytes: [UInt8] = []
    /// Whether INT64, DOUBLE and TIMESTAMP values are written as strings (the request's `numbersAsStrings`).
    var numbersAsStrings = false
    /// The field with the present location, for the error about a number without a JSON form.
    var locationField: String?
    private var needsComma = false
    private var failure: WireCodingError?

    package init(capacity: Int = 1024) {
        bytes.reserveCapacity(capacity)
    }

    /// The bytes of the whole message.
    ///
    /// - Throws: The first fault of any value.
    package consuming func finish() throws(WireCodingError) -> [UInt8] {
        if let failure { throw failure }
        return bytes
    }

    // MARK: Structure

    mutating func beginObject() { open(UInt8(ascii: "{")) }
    mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a key that needs no escapes.
    @inline(__always)
    mutating func key(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func key(_ key: String) {
        separate()
        appendQuoted(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Appends bytes that already form one JSON value.
    mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    mutating func fail(_ message: String) {
        if failure == nil { failure = WireCodingError(kind: .value, message: message) }
    }

    // MARK: Values

    package mutating func string(_ value: String) {
        separate()
        appendQuoted(value)
        needsComma = true
    }

    mutating func null() { literal("null") }
    mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    mutating func int(_ value: Int64) {
        separate()
        appendDecimal(value)
        needsComma = true
    }

    mutating func int(_ value: Int) { int(Int64(value)) }

    /// Writes the shortest text that gives the same bits when it is read. `what` names the value in the error for NaN
    /// and infinity.
    mutating func double(_ value: Double, _ what: @autoclosure () -> String) {
        guard value.isFinite else { return fail("\(what()) is \(value), which JSON cannot hold") }
        separate()
        bytes.append(contentsOf: value.description.utf8)
        needsComma = true
    }

    /// Puts quotes around a number, if `numbersAsStrings` requires them.
    mutating func quotingNumber(_ write: (inout JSONWriter) -> Void) {
        guard numbersAsStrings else { return write(&self) }
        separate()
        bytes.append(UInt8(ascii: "\""))
        needsComma = false
        write(&self)
        bytes.append(UInt8(ascii: "\""))
    }

    // MARK: Helpers

    @inline(__always)
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func open(_ byte: UInt8) {
        separate()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func literal(_ text: StaticString) {
        separate()
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        needsComma = true
    }
}
