#if FUZZING

@testable import BackstitchServer

/// Forms with a file: the same file, however the body is cut into pieces.
struct MultipartTarget: FuzzTarget {
    func run(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let step = max(1, Int(input.byte()))
        let boundary = input.byte() % 2 == 0 ? "b" : String(decoding: input.piece(), as: UTF8.self)
        let type = "multipart/form-data; boundary=\(boundary)"
        let body = input.remainder()
        guard let whole = file(in: body, type, pieces: body.count) else { return }
        promise(file(in: body, type, pieces: step) == whole, "pieces of \(step) bytes give another file")
    }

    /// The file, or an empty list for an invalid form; nil for an invalid type.
    private func file(in body: [UInt8], _ type: String, pieces: Int) -> [UInt8]? {
        guard var extractor = MultipartExtractor(contentType: type) else { return nil }
        var result: [UInt8] = []
        do {
            for start in stride(from: 0, to: body.count, by: max(1, pieces)) {
                result += try extractor.take(body[start..<min(start + pieces, body.count)])
            }
            try extractor.finish()
        } catch {
            return []
        }
        return result
    }
}

#endif
