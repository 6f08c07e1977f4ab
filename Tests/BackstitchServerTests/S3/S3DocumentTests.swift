import Testing

@testable import BackstitchServer

@Suite("answers of S3") struct S3DocumentTests {
    private static let list = S3Document(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>b</Bucket><KeyMarker/>
        <NextKeyMarker>a&amp;lt;&lt;b&gt;&quot;</NextKeyMarker><Prefix></Prefix><IsTruncated>true</IsTruncated>
        <Upload><Key>k 1</Key><UploadId>one</UploadId><Owner><ID>x</ID></Owner></Upload>
        <Upload ><Key>k2</Key><UploadId>two</UploadId></Upload><Uploads>no</Uploads></ListMultipartUploadsResult>
        """)

    @Test("are read by the names of elements")
    func elements() {
        let uploads = Self.list.elements("Upload")
        #expect(uploads.map { $0.text("Key") } == ["k 1", "k2"])
        #expect(uploads.map { $0.text("UploadId") } == ["one", "two"])
        #expect(uploads.map { $0.text("ID") } == ["x", nil])
        #expect(Self.list.text("KeyMarker") == "")
        #expect(Self.list.text("Prefix") == "")
        #expect(Self.list.text("IsTruncated") == "true")
        #expect(Self.list.text("Size") == nil)
    }

    @Test("have their characters back, once")
    func entities() { #expect(Self.list.text("NextKeyMarker") == "a&lt;<b>\"") }

    @Test(
        "that are none, or are cut off, have no elements",
        arguments: ["", "<", "<Key", "<Key>", "<Key>a", "<Key>a</Ke", "Key", "<html>no</html>", "\u{0}<Key a=1"])
    func garbage(_ text: String) { #expect(S3Document(text).elements("Key").isEmpty) }
}
