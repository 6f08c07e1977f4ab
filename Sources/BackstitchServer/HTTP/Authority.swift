import BackstitchSupport

/// A host and an optional port, as in the header `Host`: `name`, `name:port`, `[address]:port`, and nothing else.
struct Authority: Sendable, Hashable {
    let host: String
    let port: UInt16?

    /// Reads a host and a port from text.
    ///
    /// - Returns: nil for text of another form, such as one with a user name.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 512, text.isASCII else { return nil }
        let isBracketed = text.hasPrefix("[")
        let end = isBracketed ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex
        guard let end else { return nil }
        host = String(isBracketed ? text[..<end].dropFirst() : text[..<end])
        let rest = isBracketed ? text[end...].dropFirst() : text[end...]
        guard !host.isEmpty, host.utf8.allSatisfy({ Self.isPart($0) || isBracketed && $0 == UInt8(ascii: ":") }) else {
            return nil
        }
        guard let sign = rest.first else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard sign == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        self.port = port
    }

    var text: String { (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "") }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
