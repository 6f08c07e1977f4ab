import BackstitchSupport

/// Takes the file out of a `multipart/form-data` body (RFC 7578), piece by piece.
///
/// The file is the first part that has a file name or is called `file` or `files`; other parts are passed over.
struct MultipartExtractor {
    enum Fault: Error { case malformed }

    private enum State {
        case preamble
        case headers
        case file
        case otherPart
        case done
    }

    /// Each part moves the bytes that are held behind it: a form of nothing but parts, of nine bytes each, would keep a
    /// core for minutes.
    private static let mostParts = 100

    private let delimiter: [UInt8]
    /// Bytes that may be the beginning of a delimiter or of an unfinished head.
    private var held: [UInt8]
    private var state = State.preamble
    private var parts = 0
    private(set) var hasFile = false

    /// - Parameter contentType: value of the header; nil is returned unless it is multipart with a boundary.
    init?(contentType: String) {
        let parts = contentType.split(atByte: UInt8(ascii: ";")).map { $0.trimmingSpaces }
        guard let kind = parts.first, kind.asciiLowercased.isSame(as: "multipart/form-data") else { return nil }
        let boundary = parts.dropFirst().first { $0.begins(withASCII: "boundary=") }?.dropping("boundary=")
        guard let boundary, case let text = boundary.filter({ $0 != "\"" }), (1...70).contains(text.utf8.count) else {
            return nil
        }
        delimiter = Array("\r\n--\(text)".utf8)
        // The first delimiter may open the body, without a line before it.
        held = [0x0D, 0x0A]
    }

    /// Takes a piece of the body and gives what of the file it completes.
    ///
    /// - Throws: ``Fault`` when the head of a part is larger than 16 KiB, and when there are more than a hundred parts.
    mutating func take(_ piece: some Sequence<UInt8>) throws(Fault) -> [UInt8] {
        held += piece
        var result: [UInt8] = []
        while try step(&result) {}
        return result
    }

    /// - Throws: ``Fault`` unless the file and its closing delimiter have come.
    func finish() throws(Fault) {
        guard hasFile, state == .done || state == .otherPart || state == .headers else { throw .malformed }
    }

    /// Does what can be done with the bytes held; false when more are needed.
    private mutating func step(_ result: inout [UInt8]) throws(Fault) -> Bool {
        switch state {
        case .done:
            held = []
            return false
        case .headers: return try readHeaders()
        case .preamble, .file, .otherPart:
            let isFile = state == .file
            guard let place = Self.find(delimiter, in: held) else {
                let safe = max(held.count - delimiter.count + 1, 0)
                if isFile { result += held[..<safe] }
                held.removeFirst(safe)
                return false
            }
            // Two more bytes tell the last delimiter from others.
            guard held.count >= place + delimiter.count + 2 else {
                if isFile { result += held[..<place] }
                held.removeFirst(place)
                return false
            }
            if isFile { result += held[..<place] }
            held.removeFirst(place + delimiter.count)
            state = held.starts(with: Array("--".utf8)) ? .done : .headers
            return true
        }
    }

    private mutating func readHeaders() throws(Fault) -> Bool {
        guard let end = Self.find(Array("\r\n\r\n".utf8), in: held) else {
            if held.count > 16_384 { throw .malformed }
            return false
        }
        parts += 1
        guard parts <= Self.mostParts else { throw .malformed }
        // Names of files may be in any alphabet; all that is looked for here is ASCII.
        let head = String(decoding: held[..<end].map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        held.removeFirst(end + 4)
        state = !hasFile && Self.isFile(head) ? .file : .otherPart
        if state == .file { hasFile = true }
        return true
    }

    private static func isFile(_ head: String) -> Bool {
        let lines = head.split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.begins(withASCII: "content-disposition:") }) else { return false }
        let parameters = line.split(atByte: UInt8(ascii: ";")).dropFirst().map { $0.trimmingSpaces }
        return parameters.contains { parameter in
            let text = parameter.filter { $0 != "\"" }
            return text.begins(with: "filename=") || text.begins(with: "filename*=") || text == "name=file"
                || text == "name=files"
        }
    }

    private static func find(_ needle: [UInt8], in hay: [UInt8]) -> Int? {
        guard hay.count >= needle.count else { return nil }
        return hay.withUnsafeBufferPointer { hay in
            needle.withUnsafeBufferPointer { needle in
                (0...hay.count - needle.count).first { start in
                    hay[start] == needle[0] && hay[start..<start + needle.count].elementsEqual(needle)
                }
            }
        }
    }
}
