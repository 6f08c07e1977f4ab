import BackstitchSupport

/// Extracts the file from a `multipart/form-data` body (RFC 7578), piece by piece.
///
/// The file is the first part with a file name or the name `file` or `files`. Other parts are skipped.
struct MultipartExtractor {
    enum Fault: Error { case malformed }

    /// The reader's place in the body.
    private enum State {
        case preamble
        case headers
        case file
        case otherPart
        case done
    }

    /// The maximum number of parts. A form for this server has few.
    private static let mostParts = 100
    /// The maximum bytes of the head of a part.
    private static let longestHead = 16_384

    /// The delimiter. It begins with a line's end and has no other one.
    ///
    /// So bytes that do not continue it can only begin it again.
    private let delimiter: [UInt8]
    /// The number of the delimiter's bytes that the body ended with so far.
    private var matched: Int
    /// The bytes after a delimiter, up to the end of the part's head.
    private var head: [UInt8] = []
    private var state = State.preamble
    private var parts = 0
    private(set) var hasFile = false

    /// Reads the boundary of a body.
    ///
    /// - Parameter contentType: The value of the header. The result is nil unless it is multipart with a boundary.
    init?(contentType: String) {
        let parts = contentType.split(atByte: UInt8(ascii: ";")).map { $0.trimmingSpaces }
        guard let kind = parts.first, kind.asciiLowercased.isSame(as: "multipart/form-data") else { return nil }
        let boundary = parts.dropFirst().first { $0.begins(withASCII: "boundary=") }?.dropping("boundary=")
        guard let boundary, case let text = boundary.filter({ $0 != "\"" }), (1...70).contains(text.utf8.count),
            !text.utf8.contains(0x0D)
        else { return nil }
        delimiter = Array("\r\n--\(text)".utf8)
        // The first delimiter may open the body, without a line before it.
        matched = 2
    }

    /// Takes a piece of the body, and returns the bytes of the file that it completes.
    ///
    /// - Throws: ``Fault`` if the head of a part exceeds 16 KiB, or if there are more than a hundred parts.
    /// - Complexity: Linear in the length of the piece, even for tiny pieces.
    mutating func take(_ piece: some Collection<UInt8>) throws(Fault) -> [UInt8] {
        let bytes = Array(piece)
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count, state != .done {
            if state == .headers {
                try takeOfHead(bytes[place])
                place += 1
            } else {
                place = takeContent(bytes, from: place, &result)
            }
        }
        return result
    }

    /// Checks the end of the body.
    ///
    /// - Throws: ``Fault`` unless the file and its closing delimiter have arrived.
    func finish() throws(Fault) {
        guard hasFile, state == .done || state == .otherPart || state == .headers && head.count >= 2 else {
            throw .malformed
        }
    }

    /// Takes the bytes up to the end of the next delimiter or of the piece. Adds those of the file to `result`.
    ///
    /// - Returns: The place after the taken bytes.
    private mutating func takeContent(_ bytes: [UInt8], from start: Int, _ result: inout [UInt8]) -> Int {
        // These bytes came with earlier pieces. They are content, unless this piece completes the delimiter.
        var carried = matched
        var place = start
        while place < bytes.count, matched < delimiter.count {
            if bytes[place] == delimiter[matched] {
                matched += 1
                place += 1
            } else {
                if state == .file { result += delimiter[..<carried] }
                (carried, matched) = (0, 0)
                place = bytes[place...].firstIndex(of: delimiter[0]) ?? bytes.count
            }
        }
        if state == .file, carried == 0 { result += bytes[start..<place - matched] }
        if matched == delimiter.count { (state, matched) = (.headers, 0) }
        return place
    }

    /// Takes one byte of a part's head, and decides about the part at the end of the head.
    private mutating func takeOfHead(_ byte: UInt8) throws(Fault) {
        head.append(byte)
        guard head.count <= Self.longestHead else { throw .malformed }
        // Two hyphens mark the last delimiter.
        if head.count == 2, head.elementsEqual("--".utf8) {
            state = .done
            return
        }
        guard byte == 0x0A, head.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return }
        parts += 1
        guard parts <= Self.mostParts else { throw .malformed }
        // File names may be in any alphabet, but the compared texts are ASCII.
        let text = String(decoding: head.dropLast(4).map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        head.removeAll(keepingCapacity: true)
        state = !hasFile && Self.isFile(text) ? .file : .otherPart
        if state == .file { hasFile = true }
    }

    /// Whether a head belongs to the file.
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
}
