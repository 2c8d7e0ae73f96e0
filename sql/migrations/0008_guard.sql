-- The guard of near duplicates. Two memories may be alike in meaning and in letters and yet not be one: another number,
-- another day, a `not`. Here is decided whether a text says what another says (merge), is the same tracker with a newer
-- figure (supersede), may be either (propose), or is another memory. A threshold alone never merges: a merge needs the
-- same words. tests/evals/pairs says how well that works, and in which languages.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;


-- Words ---------------------------------------------------------------------------------------------------------------

-- What words mean to the guard, folded: word -> class, or class:value. A word that means something else in another
-- language is left out, or is listed as `turkish` and counts only there. Immutable and without arguments,
-- so that a session makes it once.
create function guard_words() returns jsonb
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  with lists (class, words) as (values
    -- Words that say which language this is.
    ('german', 'der die das des dem den und mit fur ein eine einen einem einer bei zur zum wird werden gern seit nach am im auf von vom ist hat sind'),
    ('romance', 'um uma com em ao tem na nas da pela'),
    -- Whoever the memory is about: an article before them says nothing.
    ('user', 'user users nutzer nutzers nutzerin benutzer benutzers benutzerin anwender anwenderin utilisateur utilisatrice usuario usuaria
      utente пользователь пользователя пользователю пользователем пользовательница пользовательницы kullanici kullanicinin
      المستخدم للمستخدم المستخدمة 用户 用戶 使用者 ユーザー 利用者'),
    -- Words with another sign in them, which mean nothing to the guard.
    ('plain', '非常 除非 非洲 不错 不錯 不过 不過 不同 不但 不仅 不僅 不断 不斷 不久 对不起 差不多 不锈钢 不得不 无线 無線 无人机 未来 未來
      未婚 别人 特别 特別 区别 分别 别墅 性别 级别 类别 没关系 成都 首都 京都 都市 都会 東京都 东京都 日本 日语 日本語 日記 日常 日程
      危ない つまらない もったいない 間違いない かもしれない なければならない しか 一起 一直 一样 一定 一般 十分 三明治 万一 月光 年轻 年龄 分析 分享
      一个 一個 一名 一只 一隻 一位 一本 一种 一種 地点 重点 缺点 优点 特点 观点 小时候 不動産 不動産屋 無料 namaz komedi'),
    -- Negation.
    ('negation', 'no not non never none nobody nothing neither nor nowhere cannot without lack lacks lacking avoid avoids avoiding refuse refuses
      dont doesnt didnt isnt arent wasnt werent wont wouldnt cant couldnt shouldnt hasnt havent hadnt
      nicht nie niemals nichts niemand ohne weder nirgends kein keine keinen keinem keiner keines meidet vermeidet
      ne n pas jamais sans rien aucun aucune personne ni evite nunca jamas nada nadie ningun ninguno ninguna sin tampoco evita
      nao sem nem nenhum nenhuma ninguem jamais
      не нет ни никогда нельзя ничего никто никого без никакой никаких нигде избегает
      不 没 沒 没有 沒有 无 無 非 未 别 別 勿 从不 從不 从未 從未 不再 不能 不会 不會 从来没有 讨厌不
      ない 無い なかった ません ませんでした ません ず なく なくて
      degil hic asla hayir yok
      لا لم لن ليس ليست ليسوا لست غير بدون دون ابدا بلا يتجنب لايوجد'),
    -- Quantifiers.
    ('quantifier:all', 'all every each always everyone everybody everything entire whole
      alle allen aller alles jeder jede jedes jeden jedem immer stets samtliche ganze ganzen
      tout tous toute toutes chaque toujours todo todos toda todas cada siempre sempre
      все всех всем всегда каждый каждая каждое каждую каждого каждые
      所有 全部 每 每个 每天 都 总是 總是 一切 始终 すべて 全て 毎 毎日 毎週 毎月 毎年 いつも 常に みんな
      butun tum hepsi daima كل جميع دائما كافة'),
    ('turkish:quantifier:all', 'her'),
    ('quantifier:some', 'some several certain sometimes occasionally
      manche manchen mancher manchmal einige einigen gelegentlich ab certains certaines quelques parfois quelquefois plusieurs
      algunos algunas algun alguna varios veces alguns algumas as vezes
      некоторые некоторых несколько иногда порой 一些 部分 有些 有的 有时 有時 有时候 偶尔 偶爾 一部 いくつか ときどき 時々 たまに
      bazi birkac bazen ara بعض احيانا بضعة'),
    ('quantifier:most', 'most mostly usually often generally majority meist meistens meisten oft haufig gewohnlich plupart souvent generalement
      habituellement mayoria suele menudo generalmente maioria geralmente frequentemente большинство обычно часто
      大多数 大部分 多数 通常 经常 經常 ほとんど たいてい 大抵 よく 多く cogu cogunlukla genellikle sik معظم اغلب غالبا عادة'),
    ('quantifier:few', 'few rarely seldom hardly barely selten kaum wenige wenigen rarement peu rara raramente pocos pocas poco poucos poucas
      редко мало немногие 很少 少数 极少 めったに 少ない 滅多に nadiren az نادرا قليل قليلا'),
    ('quantifier:only', 'only solely exclusively just merely nur lediglich ausschliesslich bloss seulement uniquement solo solamente unicamente somente
      apenas только лишь исключительно 只 仅 僅 仅仅 只有 只在 だけ のみ しか sadece yalnizca yalniz فقط الا'),
    ('accented:only', 'so'),                            -- só
    ('quantifier:both', 'both beide beiden ambos ambas deux-deux оба обе 两者 両方 ikisi كلا كلاهما'),
    ('quantifier:more', 'more mehr mas больше более 更多 超过 以上 もっと daha اكثر'),
    ('quantifier:less', 'less fewer weniger menos меньше менее 更少 以下 少于 未満 اقل'),
    ('quantifier:almost', 'almost nearly fast presque casi quase почти 几乎 ほぼ neredeyse تقريبا'),
    ('quantifier:half', 'half halb halbe halfte moitie mitad metade половина половину 一半 半分 yarisi نصف'),
    -- What was: until it wasn't.
    ('tense', 'formerly former previously until till ex anymore stopped quit ceased
      fruher fruhere fruherer fruheren ehemals ehemalige ehemaliger ehemaligen ehemaliges einst damals vormals
      autrefois jadis ancien ancienne anciens anciennes auparavant avant arrete
      antes anteriormente antiguamente antiguo antigua solia solian dejo antigo antiga outrora costumava costumavam parou
      раньше прежде бывший бывшая бывшего бывшей бывшие бывшую прежний ранее бросил бросила
      以前 曾经 曾經 曾 之前 过去 過去 直到 前妻 前夫 前任 原先 戒了 昔 かつて 元夫 元妻 元彼 元上司 やめた
      eskiden onceden eski birakti سابقا سابق السابق السابقة توقف'),
    -- The same beside a figure: elsewhere they may be about a way, or as much as.
    ('until', 'bis jusqu jusque hasta ate до まで kadar حتى'),
    -- Copulas and their like, whose tense counts where nothing else differs.
    ('past', 'was were had did war waren hatte hatten wurde etait etaient avait avaient fut era eran fue estaba estaban tenia tenian
      estava estavam foi tinha tinham был была было были idi كان كانت كانوا كنت でした だった ました いた あった'),
    -- Opposites.
    ('pole:like+', 'like likes liked love loves enjoy enjoys adore adores mag liebt liebe mogen aime aiment adore adorent apprecie gusta gustan encanta
      encantan ama adora adoram gosta gostam любит любят нравится обожает 喜欢 喜歡 爱 愛 好き 大好き 好む seviyor sever seviyorum hoslaniyor
      يحب تحب يعشق احب'),
    ('pole:like-', 'dislike dislikes hate hates detest detests loathe loathes despise despises hasst verabscheut deteste detestent hait odia odian
      detesta detestan odeia odeiam ненавидит ненавидят терпеть 讨厌 討厭 恨 厌恶 嫌い 大嫌い nefret يكره تكره اكره'),
    ('pole:diet+', 'vegetarian vegan vegetarier vegetarierin veganer veganerin vegetarien vegetarienne vegetaliane vegetariano vegetariana vegano vegana
      вегетарианец вегетарианка веган 素食 素食者 吃素 ベジタリアン 菜食主義 vejetaryen نباتي نباتية'),
    ('pole:diet-', 'meat fleisch viande carne мясо мяса 肉 et اللحم لحم لحوم'),
    ('pole:on+', 'on enabled activated active open opened eingeschaltet aktiviert aktiv offen geoffnet an active activee activees actives allume
      ouvert ouverte ouverts ouvertes activado activada activados activadas encendido abierto abierta abiertos abiertas ativado ativada ativados ativadas
      ligado ligada aberto aberta abertos abertas включен включена включено включены открыт открыта открыто открыты
      开启 打开 開啟 已开启 启用 开着 オン 有効 開いて acik etkin مفعل مفعلة مفتوح مفتوحة'),
    ('pole:on-', 'off disabled deactivated inactive closed shut ausgeschaltet deaktiviert inaktiv geschlossen zu desactive desactivee desactives desactivees
      eteint ferme fermee fermes fermees desactivado desactivada desactivados desactivadas apagado cerrado cerrada cerrados cerradas
      desativado desativada desativados desativadas desligado desligada fechado fechada fechados fechadas
      выключен выключена выключено выключены отключен отключена отключены закрыт закрыта закрыто закрыты
      关闭 關閉 已关闭 禁用 关着 オフ 無効 閉じて kapali معطل معطلة مغلق مغلقة'),
    ('pole:day+', 'morning mornings morgens vormittags fruhaufsteher matin matins matinal manana mananas matutino manha manhas утром утро утра утрам
      早上 早晨 上午 朝 朝型 午前 sabah sabahlari sabahlar الصباح صباحا'),
    ('pole:day-', 'evening evenings night nights abends abend nachts nachteule soir soirs nuit nuits noche noches tarde tardes noite noites
      вечером вечер вечера вечерам ночью 晚上 夜里 夜晚 夜 夜型 晩 aksam aksamlari aksamlar gece geceleri المساء مساء الليل ليلا'),
    ('pole:side+', 'left links linke linken linker gauche izquierda izquierdo esquerda esquerdo слева левый левая левую налево 左 左边 左侧 左手 sol solda يسار اليسرى'),
    ('pole:side-', 'right rechts rechte rechten rechter droite derecha derecho direita direito справа правый правая правую направо 右 右边 右侧 右手 sag sagda يمين اليمنى'),
    ('pole:order+', 'before vor vorher перед 前に 之前先 once قبل'),
    ('pole:order-', 'after nach nachher apres despues depois после 之后 以后 後に 後 sonra بعد'),
    ('pole:married+', 'married verheiratet marie mariee casado casada женат замужем 已婚 结婚 既婚 evli متزوج متزوجة'),
    ('pole:married-', 'unmarried divorced ledig geschieden celibataire divorce divorcee soltero soltera divorciado divorciada solteiro solteira
      divorciada холост разведен разведена 单身 离婚 独身 離婚 bekar bosanmis اعزب عزباء مطلق مطلقة'),
    ('pole:size+', 'big large high tall gross hoch grand grande haut alto высокий большой 大きい 高い buyuk yuksek كبير'),
    ('pole:size-', 'small little low short klein niedrig petit petite bas bajo baixo низкий маленький 小さい 低い kucuk dusuk صغير'),
    ('pole:heat+', 'hot warm heiss chaud chaude caliente quente горячий горячую 热 熱い 暑い sicak ساخن ساخنة'),
    ('pole:heat-', 'cold cool kalt froid froide frio fria холодный холодную 冷 冷たい 寒い soguk بارد باردة'),
    ('pole:pass+', 'passed succeeded accepted approved bestanden angenommen reussi accepte aprobado aceptado aprovado aceito принят одобрен 通过 合格 承認'),
    ('pole:pass-', 'failed rejected declined denied durchgefallen abgelehnt echoue refuse suspendido rechazado reprovado recusado отклонен провалил 失败 不合格 却下'),
    -- Numbers.
    ('number:0', 'zero null zero cero ноль 零 sifir صفر'),
    ('number:1', 'one eins uno один одна одно 1つ 一つ ひとつ 一人 واحد واحدة'),
    ('number:2', 'two zwei deux dos dois duas два две двух 二つ ふたつ 二人 两 兩 两个 兩個 iki اثنان اثنين اثنتان اثنتين'),
    ('number:3', 'three drei trois tres три трех 三つ 三人 三个 三個 三名 三只 uc ثلاثة ثلاث'),
    ('number:4', 'four vier quatre cuatro quatro четыре четырех 四つ 四人 四个 四個 四名 四只 dort اربعة اربع'),
    ('number:5', 'five funf cinq cinco пять пяти 五つ 五人 五个 五個 五名 五只 bes خمسة خمس'),
    ('number:6', 'six sechs seis шесть шести 六つ 六人 六个 六個 六名 alti ستة ست'),
    ('number:7', 'seven sieben sept siete sete семь семи 七つ 七人 七个 七個 yedi سبعة سبع'),
    ('number:8', 'eight acht huit ocho oito восемь восьми 八つ 八人 八个 八個 sekiz ثمانية ثماني ثمان'),
    ('number:9', 'nine neun neuf nueve nove девять девяти 九つ 九人 九个 九個 dokuz تسعة تسع'),
    ('number:10', 'ten zehn dix diez dez десять десяти 十 十人 十个 عشرة عشر'),
    ('turkish:number:10', 'on'),
    ('number:11', 'eleven elf onze once одиннадцать 十一'),
    ('number:12', 'twelve zwolf douze doce doze двенадцать dozen dutzend douzaine docena duzia дюжина 十二'),
    ('number:13', 'thirteen dreizehn treize trece treze тринадцать 十三'), ('number:14', 'fourteen vierzehn quatorze catorce catorze четырнадцать 十四'),
    ('number:15', 'fifteen funfzehn quinze quince пятнадцать 十五'), ('number:16', 'sixteen sechzehn seize dieciseis dezesseis шестнадцать 十六'),
    ('number:17', 'seventeen siebzehn diecisiete dezessete семнадцать 十七'), ('number:18', 'eighteen achtzehn dieciocho dezoito восемнадцать 十八'),
    ('number:19', 'nineteen neunzehn diecinueve dezenove девятнадцать 十九'), ('number:20', 'twenty zwanzig vingt veinte vinte двадцать 二十 yirmi عشرون عشرين'),
    ('number:30', 'thirty dreissig trente treinta trinta тридцать 三十 otuz ثلاثون ثلاثين'), ('number:40', 'forty vierzig quarante cuarenta quarenta сорок 四十 kirk اربعون اربعين'),
    ('number:50', 'fifty funfzig cinquante cincuenta cinquenta пятьдесят 五十 elli خمسون خمسين'), ('number:60', 'sixty sechzig soixante sesenta sessenta шестьдесят 六十 altmis ستون ستين'),
    ('number:70', 'seventy siebzig setenta семьдесят 七十 yetmis سبعون'), ('number:80', 'eighty achtzig ochenta oitenta восемьдесят 八十 seksen ثمانون'),
    ('number:90', 'ninety neunzig noventa девяносто 九十 doksan تسعون'), ('number:100', 'hundred hundert cent cien ciento cem сто 百 yuz مئة مائة'),
    ('number:1000', 'thousand tausend mille mil тысяча тысячи тысяч 千 bin الف الاف'), ('number:1000000', 'million millionen millions millon millones milhao milhoes миллион миллиона миллионов 百万 milyon مليون'),
    ('number:1st', 'first erste ersten erster erstes premier premiere primero primera primeiro primeira первый первая первое первого 第一 birinci ilk الاول الاولى'),
    ('number:2nd', 'second zweite zweiten zweiter zweites deuxieme segundo segunda второй вторая второе второго 第二 ikinci الثاني الثانية'),
    ('number:3rd', 'third dritte dritten dritter drittes troisieme tercero tercera terceiro terceira третий третья третье третьего 第三 ucuncu الثالث الثالثة'),
    ('number:4th', 'fourth vierte vierten quatrieme cuarto cuarta четвертый 第四 dorduncu'), ('number:5th', 'fifth funfte funften cinquieme quinto quinta пятый 第五 besinci'),
    -- Dates. `may` and `march` are months only with a capital letter or beside a number.
    ('month:1', 'january januar janner janvier enero janeiro январь января январе 一月 1月 ocak ocakta يناير'),
    ('month:2', 'february februar fevrier febrero fevereiro февраль февраля феврале 二月 subat subatta فبراير'),
    ('month:3', 'march marz mars marzo marco март марта марте 三月 martta مارس'),
    ('month:4', 'april avril abril апрель апреля апреле 四月 nisan nisanda ابريل'),
    ('month:5', 'may mai mayo maio май мая мае 五月 mayis mayista مايو'),
    ('month:6', 'june juni juin junio junho июнь июня июне 六月 haziran haziranda يونيو'),
    ('month:7', 'july juli juillet julio julho июль июля июле 七月 temmuz temmuzda يوليو'),
    ('month:8', 'august aout agosto август августа августе 八月 agustos agustosta اغسطس'),
    ('month:9', 'september septembre septiembre setembro сентябрь сентября сентябре 九月 eylul eylulde سبتمبر'),
    ('month:10', 'october oktober octobre octubre outubro октябрь октября октябре 十月 ekim ekimde اكتوبر'),
    ('month:11', 'november novembre noviembre novembro ноябрь ноября ноябре 十一月 kasim kasimda نوفمبر'),
    ('month:12', 'december dezember decembre diciembre dezembro декабрь декабря декабре 十二月 aralik aralikta ديسمبر'),
    ('abbreviated:1', 'jan'), ('abbreviated:2', 'feb fev'), ('abbreviated:3', 'mar'), ('abbreviated:4', 'apr avr abr'), ('abbreviated:6', 'jun'),
    ('abbreviated:7', 'jul'), ('abbreviated:8', 'aug ago'), ('abbreviated:9', 'sep'), ('abbreviated:10', 'oct okt'), ('abbreviated:11', 'nov'), ('abbreviated:12', 'dec dez dic'),
    ('day:mo', 'monday mondays montag montags lundi lundis lunes понедельник понедельника понедельникам 星期一 周一 週一 月曜 月曜日 pazartesi الاثنين'),
    ('day:tu', 'tuesday tuesdays dienstag dienstags mardi mardis martes terca вторник вторника вторникам 星期二 周二 火曜 火曜日 sali الثلاثاء'),
    ('day:we', 'wednesday wednesdays mittwoch mittwochs mercredi mercredis miercoles quarta среду среда средам 星期三 周三 水曜 水曜日 carsamba الاربعاء'),
    ('day:th', 'thursday thursdays donnerstag donnerstags jeudi jeudis jueves четверг четверга четвергам 星期四 周四 木曜 木曜日 persembe الخميس'),
    ('day:fr', 'friday fridays freitag freitags vendredi vendredis viernes sexta пятницу пятница пятницам 星期五 周五 金曜 金曜日 cuma الجمعة'),
    ('day:sa', 'saturday saturdays samstag samstags sonnabend samedi samedis sabado sabados субботу суббота субботам 星期六 周六 土曜 土曜日 cumartesi السبت'),
    ('day:su', 'sunday sundays sonntag sonntags dimanche dimanches domingo domingos воскресенье воскресеньям 星期日 星期天 周日 日曜 日曜日 pazar الاحد'),
    ('day:yesterday', 'yesterday gestern hier ayer ontem вчера 昨天 昨日 dun امس'),
    ('day:today', 'today heute aujourd hoy hoje сегодня 今天 今日 bugun اليوم'),
    ('day:tomorrow', 'tomorrow demain amanha завтра 明天 明日 yarin غدا'),
    ('part', '年 月 日 时 時 点 點 號'),
    ('half:am', 'am'), ('half:pm', 'pm'),
    ('rank', 'st nd rd th'),
    -- Units, which count beside a number.
    ('unit:km', 'km kilometer kilometers kilometre kilometres kilometern kilometro kilometros quilometro quilometros километр километра километров километрах км
      公里 千米 キロメートル كيلومتر كيلومترا كيلومترات كم'),
    ('unit:mi', 'mi mile miles meile meilen milla millas milha milhas миля мили миль 英里 マイル mil ميل اميال ميلا'),
    ('unit:m', 'm meter meters metre metres metern metro metros метр метра метров 米 メートル متر مترا امتار'),
    ('unit:cm', 'cm centimeter centimeters zentimeter centimetre centimetres centimetro centimetros сантиметр сантиметров см 厘米 センチ santim santimetre سم'),
    ('unit:ft', 'ft foot feet fuss pieds pies pes фут фута футов 英尺 フィート قدم'), ('unit:in', 'inch inches zoll pouces pulgadas polegadas дюйм дюймов 英寸 インチ inc بوصة'),
    ('unit:kg', 'kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos quilo quilos килограмм килограмма килограммов кг 公斤 千克
      キログラム キロ كيلوغرام كيلوغراما كيلو كغ كجم'),
    ('unit:lb', 'lb lbs pound pounds pfund livre livres libra libras фунт фунта фунтов 磅 ポンド رطل'),
    ('unit:g', 'g gram grams gramm gramme grammes gramo gramos grama gramas грамм грамма граммов 克 グラム غرام جرام'), ('unit:oz', 'oz ounce ounces'),
    ('unit:l', 'l liter liters litre litres litern litro litros литр литра литров 升 リットル لتر'), ('unit:gal', 'gallon gallons'), ('unit:ml', 'ml мл 毫升'),
    ('unit:s', 's sec secs seconds sekunde sekunden seconde secondes segundos секунда секунды секунд 秒 秒钟 saniye ثانية ثوان'),
    ('unit:min', 'min mins minute minutes minuten minuto minutos минута минуты минут 分钟 分鐘 分間 分 dakika دقيقة دقائق'),
    ('unit:h', 'h hr hrs hour hours stunde stunden heure heures hora horas час часа часов 小时 小時 時間 saat ساعة ساعات'),
    ('unit:d', 'day days tag tage tagen jour jours dia dias день дня дней 天 日間 gun يوم ايام يوما'),
    ('unit:w', 'week weeks woche wochen semaine semaines semana semanas неделя недели недель 周 星期 週間 hafta اسبوع اسابيع'),
    ('unit:mo', 'month months monat monate monaten mois mes meses месяц месяца месяцев 个月 個月 か月 ヶ月 ay شهر اشهر شهور'),
    ('unit:y', 'year years jahr jahre jahren an ans annee annees ano anos год года лет 岁 歲 歳 yil yas yasinda سنة سنوات عام اعوام عاما'),
    ('unit:eur', '€ eur euro euros евро 欧元 歐元 ユーロ avro يورو'), ('unit:usd', '$ usd dollar dollars dolar dolares доллар доллара долларов 美元 ドル دولار دولارا دولارات'),
    ('unit:gbp', '£ gbp 英镑'), ('unit:jpy', '¥ jpy yen 日元 円 ين'), ('unit:cny', 'cny rmb yuan 人民币 元 块 يوان'), ('unit:rub', '₽ rub рубль рубля рублей руб'),
    ('unit:try', '₺ try lira ليرة'), ('unit:brl', 'brl real reais'), ('unit:chf', 'chf franken'), ('unit:sar', 'ريال ريالا'), ('unit:aed', 'درهم درهما'),
    ('unit:%', '% percent prozent pourcent процент процента процентов パーセント'),
    ('unit:deg', '° degree degrees grad degres degre grados graus градус градуса градусов 度 derece درجة درجات'), ('unit:c', '°c celsius'), ('unit:f', '°f fahrenheit'),
    ('unit:mg', 'mg мг 毫克 ミリグラム'), ('unit:mm', 'mm мм 毫米 ミリ'), ('unit:kcal', 'kcal calories kalorien calorias калорий ккал'), ('unit:bpm', 'bpm'), ('unit:kb', 'kb'), ('unit:mb', 'mb мб'), ('unit:gb', 'gb go гб'), ('unit:tb', 'tb to тб'), ('unit:kwh', 'kwh'), ('unit:w', 'watt watts'),
    ('unit:ms', 'ms millisecond milliseconds'), ('unit:kmh', 'kmh kph'), ('unit:mph', 'mph'))
  select jsonb_object_agg(word, class order by at desc)
    from (select class, row_number() over () as at, words from lists) as numbered, regexp_split_to_table(fold(words), ' ') as word
$$;

-- What words mean where a number differs: is that a quantity that moved, or does the number say which one is meant?
create function guard_trackers() returns jsonb
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  with lists (class, words) as (values
    -- The number after these is a state.
    ('state', 'is are contains contain holds counts totals stands remains remain costs cost weighs weigh equals measures reached exceeds amounts scores
      ist sind betragt liegt steht stehen enthalt enthalten umfasst zahlt kostet kosten wiegt misst bleiben verbleiben gibt
      est sont compte comptent contient contiennent eleve atteint coute coutent pese mesure reste restent
      es son esta estan hay contiene contienen cuenta cuesta cuestan pesa mide queda quedan asciende
      e sao fica ficam ha contem conta custa custam resta restam sobram mede chega
      составляет составляют насчитывает равен равна равно содержит стоит стоят весит осталось остается остались достиг достигла имеется
      有 是 为 為 共 剩 还剩 還剩 共有 达 达到 等于 です だ ある あります いる います 残り kaldi هو هي يبلغ تبلغ يحتوي تحتوي يوجد توجد بقي بقيت يساوي يزن'),
    ('have', 'has have hat haben a ont tiene tienen tem имеет var لديه لديها لدى'),
    -- These may stand between.
    ('filler', 'at to now about around approximately currently over nearly up down still already on of bei auf jetzt etwa ungefahr rund noch aktuell derzeit
      de du d en encore maintenant environ actuellement ya ahora unos unas aproximadamente con agora cerca com около примерно сейчас теперь уже еще
      目前 现在 約 约 على الى حوالي الان حاليا 还 已'),
    -- One at a time, whenever it is.
    ('cue', 'last latest current currently next now deadline due letzte letzter letzten letztes aktuell aktuelle derzeit stand nachste nachster frist
      dernier derniere actuel actuelle actuellement prochain prochaine ultimo ultima actual actualmente proximo proxima atual atualmente prazo
      последний последняя последнее последнего сейчас текущий текущая следующий срок 目前 上次 最后 最近一次 当前 截至 現在 最後 最新 前回 次回
      son simdi su guncel اخر حاليا الحالي الحالية'),
    -- What has one figure at a time.
    ('head', 'balance queue temperature score count level stock total usage weight price rent population size length rate percentage progress
      kontostand warteschlange temperatur punktestand anzahl bestand summe gewicht preis miete fortschritt
      solde file temperature score nombre stock total poids prix loyer saldo cola temperatura puntuacion numero total peso precio alquiler
      fila pontuacao estoque preco aluguel баланс очередь очереди температура количество число остаток вес цена рост
      余额 余額 队列 温度 库存 总数 体重 价格 租金 分数 人数 残高 キュー 在庫 合計 体重 価格 家賃 登録者 残席 気温
      bakiye kuyruk kuyrukta sicaklik sicakligi stok toplam kilo kilosu fiyat kira skor الرصيد رصيد درجة حرارة عدد وزن سعر المجموع الايجار الطابور'),
    -- What is counted.
    ('counted', 'item items message messages user users ticket tickets task tasks error errors order orders request requests customer customers
      follower followers point points email emails file files row rows record records people member members subscriber subscribers issue issues star stars
      eintrage nachrichten aufgaben fehler kunden mitglieder abonnenten punkte elements messages taches clients abonnes membres places incidents
      elementos mensajes tareas errores clientes suscriptores miembros plazas incidencias itens mensagens tarefas erros inscritos vagas chamados membros
      элемент элемента элементов сообщение сообщений сообщения задача задачи задач ошибка ошибки ошибок клиентов заказов подписчик подписчика подписчиков
      участник участника участников мест места заявка заявки заявок 件 个 個 人 名 席 本 条 点 oge mesaj gorev hata abone abonesi uye yer kayit
      عنصر عنصرا عناصر رسالة مشترك مشتركا عضو تذكرة مقعدا'),
    -- Where somebody is in what they go through.
    ('progress', 'page pages chapter level lesson episode step stage seite kapitel lektion folge stufe chapitre page lecon etape capitulo pagina leccion nivel
      licao etapa глава главе страница странице урок уроке'),
    -- The number says which one.
    ('named', 'room flight bus train line gate platform seat invoice bill ticket number no nr num id pin code version release account phone apartment house
      floor chapter route order case issue zimmer flug zug linie gleis sitz rechnung nummer konto telefon wohnung haus etage fassung chambre vol ligne
      quai siege facture numero appartement etage habitacion vuelo autobus tren linea puerta anden asiento factura piso quarto voo onibus
      trem linha portao fatura комната рейс автобус поезд линия счет счёт номер квартира дом этаж код 号 號 路 室 房间 航班 发票 請求書 号室 号线 番 番線
      numarali nolu oda fatura الغرفة الفاتورة رقم الرحلة غرفة فاتورة # №'),
    -- The number is part of saying which one.
    ('relative', 'who which that whose der die dessen deren qui dont que quien cuyo который которая которое которому которой которым которого 的 الذي التي عمره عمرها yasinda'))
  select jsonb_object_agg(word, classes)
    from (select word, jsonb_object_agg(class, true) as classes from lists, regexp_split_to_table(fold(words), ' ') as word group by word) as found
$$;

-- With which signs the known words of scripts without spaces begin, and how long the longest of each is.
create function guard_starts() returns jsonb
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  select jsonb_object_agg(sign, longest)
    from (select left(word, 1) as sign, max(char_length(word)) as longest
            from (select jsonb_object_keys(guard_words()) union select jsonb_object_keys(guard_trackers())) as known (word)
           where char_length(word) > 1 and ascii(word) > 12352
           group by 1) as starts
$$;


-- Traits --------------------------------------------------------------------------------------------------------------

-- What the guard goes by.
create type traits as (
  words       text[],       -- every token, folded: numbers and units in one spelling, the article before `user` left out
  kinds       text[],       -- what each is: n a number, d of a date, u a unit, w another word
  shape       text[],       -- the same, numbers and dates masked
  numbers     text[],
  dates       text[],
  units       text[],
  names       text[],       -- with a capital letter, but for the first
  opened      boolean,      -- the first has a capital letter
  quantifiers text[],
  poles       text[],
  negated     boolean,
  past        boolean,
  spaceless   boolean,
  accents     text
);

create function traits_of(p_text text) returns traits
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
declare
  ascii       boolean := octet_length(p_text) = char_length(p_text);
  source      text := p_text;
  spaceless   boolean := false;
  accents     text;
  tokens      text[];
  folded      text[];
  words       text[] := '{}';
  kinds       text[] := '{}';
  shape       text[] := '{}';
  numbers     text[] := '{}';
  dates       text[] := '{}';
  units       text[] := '{}';
  names       text[] := '{}';
  quantifiers text[] := '{}';
  poles       text[] := '{}';
  capitals    text[] := '{}';                           -- words with a capital letter, which in German need not be names
  opened      boolean := false;
  negated     boolean := false;
  past        boolean := false;
  cased       boolean;
  german      boolean := false;
  turkish     boolean := false;
  romance     boolean := false;
  refused     boolean := false;                         -- by a `no`, which in Portuguese is none
  word        text;
  class       text;                                     -- what guard_words says of it: `main`, or `main:value`
  main        text;
  value       text;
  kind        text;
  before      text;                                     -- the kind of the token before
  last        text;                                     -- and the word
  next        text;
  monthed     boolean := false;
  i           integer := 0;
  n           integer;
begin
  if ascii then
    if strpos(source, '''t') > 0 then
      source := regexp_replace(regexp_replace(source, '\mcan''t\M', 'can not', 'gi'), 'n''t\M', ' not', 'gi');
    end if;
    if translate(source, '0123456789+#%$<>=@&*/\~^|?', '') = source then
      tokens := string_to_array(translate(source, '.,;:!"()[]{}-_`''' || E'\t\n\r', '                    '), ' ');
    else
      if source ~ '[0-9] [0-9]{3}' then
        source := regexp_replace(source, '\m([0-9]{1,3}) (?=[0-9]{3}\M)', '\1', 'g');
      end if;
      tokens := array(select m[1] from regexp_matches(source, '((?:(?<![0-9A-Za-z])-)?[0-9]+(?:[-.,:/''][0-9]+)*|[A-Za-z]+|[+#%$<>=@&*/\\~^|?])', 'g') as m);
    end if;
    folded := string_to_array(lower(array_to_string(tokens, ' ') collate pg_c_utf8), ' ');
  else
    source := translate(normalize(source, nfkc), '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९’', '012345678901234567890123456789''');
    if strpos(source, 'n''t') > 0 then
      source := regexp_replace(regexp_replace(source, '\mcan''t\M', 'can not', 'gi'), 'n''t\M', ' not', 'gi');
    end if;
    if source ~ '[0-9] [0-9]{3}' then
      source := regexp_replace(source, '\m([0-9]{1,3}) (?=[0-9]{3}\M)', '\1', 'g');
    end if;
    spaceless := source ~ '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]';
    if spaceless then
      tokens := array(select m[1] from regexp_matches(source,
        '((?:(?<![0-9A-Za-z])[-−])?[0-9]+(?:[-.,:/''][0-9]+)*|[\u30a1-\u30fa\u30fc-\u30ff]+|[\u2e80-\u2fdf\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]'
        '|[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff]+|[+#%$<>=@&*/\\~^|?°€£¥₽₺±≤≥≠→№−\u2600-\u27bf\U0001f000-\U0001faff])', 'g') as m);
    else
      tokens := array(select m[1] from regexp_matches(source,
        '((?:(?<![0-9A-Za-z])[-−])?[0-9]+(?:[-.,:/''][0-9]+)*'
        '|[^\u0001-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u055a-\u055f\u05be\u060c\u061b\u061f\u066a-\u066d\u06d4'
        '\u0964\u0965\u2000-\u2bff\u2e00-\u2e7f\u3001-\u303f\ufe30-\ufe6f\U0001f000-\U0001faff]+'
        '|[+#%$<>=@&*/\\~^|?°€£¥₽₺±≤≥≠→№−\u2600-\u27bf\U0001f000-\U0001faff])', 'g') as m);
    end if;
    word := lower(array_to_string(tokens, ' ') collate pg_c_utf8);
    accents := translate(word, ' абвгдежзиклмнопрстуфхцчшщъыьэюяabcdefghijklmnopqrstuvwxyz0123456789ß.,:%$€-', '');
    -- As fold() does, in one step: this is done for every candidate.
    folded := string_to_array(replace(translate(word,
      'àáâãäåāăąçćčďèéêëēĕėęěğģìíîïīĭįıķĺļľñńņňòóôõöōŏőøŕŗřśşšșţťțùúûüūŭůűųýÿžźżđłйёأإآٱؤئ'
      || U&'\0300\0301\0302\0303\0307\0308\030A\0327\0328\064B\064C\064D\064E\064F\0650\0651\0652\0670\0640\00AD\200B\200C\200D\200E\200F\2060\FEFF',
      'aaaaaaaaacccdeeeeeeeeeggiiiiiiiiklllnnnnooooooooorrrsssstttuuuuuuuuuyyzzzdlиеاااٱوي'), 'ß', 'ss'), ' ');
    turkish := translate(source, 'ğışİĞŞ', '') <> source;
    romance := translate(source, 'ãõÃÕ', '') <> source or strpos(source, 'suári') > 0;
  end if;
  cased := cardinality(folded) = cardinality(tokens);

  while i < cardinality(folded) loop
    i := i + 1;
    word := folded[i];
    continue when word = '';
    kind := 'w';
    if word >= '0' collate "C" and word < ':' collate "C" or left(word, 1) in ('-', '−') and char_length(word) > 1 then
      next := guard_words() ->> folded[i + 1];
      -- A number, a time or a date in figures.
      if translate(word, '0123456789', '') = '' then
        null;
      else
        word := translate(word, '−’', '-''');
        if strpos(word, ':') > 0 then
          kind := 'd';
          dates := dates || word;
        elsif word ~ '^(?:[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{2,4})$' then
          kind := 'd';
          dates := dates || array(select ltrim(part, '0') from regexp_split_to_table(word, '[-/.]') as part);
        elsif word ~ '^-?[0-9]{1,3}(?:([.,''])[0-9]{3})(?:\1[0-9]{3})+$' or word ~ '^-?[0-9]{1,3}(?:''[0-9]{3})+$' then
          word := translate(word, '.,''', '');
        elsif strpos(word, '.') > 0 and strpos(word, ',') > 0 and word ~ '^-?[0-9]{1,3}(?:[.,''][0-9]{3})*[.,][0-9]+$' then
          value := substring(word from '[0-9]+$');
          word := translate(left(word, -char_length(value)), '.,''', '') || '.' || value;
        elsif word ~ '^-?[0-9]+[.,](?:[0-9]{1,2}|[0-9]{4,})$' then
          word := rtrim(rtrim(replace(word, ',', '.'), '0'), '.');
        end if;
      end if;
      if kind = 'd' then
        null;
      elsif monthed and before in ('d', 'r') and char_length(word) < 5
         or next like 'month:%' or next like 'abbreviated:%' or next in ('part', 'half:am', 'half:pm')
         or folded[i + 1] in ('de', 'of', 'st', 'nd', 'rd', 'th') and (guard_words() ->> folded[i + 2] like 'month:%' or folded[i + 2] = 'of')
         or char_length(word) = 4 and left(word, 2) in ('19', '20')
            and (folded[i + 1] in ('года', 'году', 'год') or turkish and folded[i + 1] in ('e', 'de', 'da', 'te', 'ta', 'den', 'dan', 'yilinda') or folded[i - 1] in
            ('in', 'since', 'until', 'till', 'from', 'by', 'seit', 'bis', 'ab', 'jahr', 'en', 'depuis', 'jusqu', 'desde', 'hasta', 'ate', 'em', 'de', 'с', 'до', 'в', 'от', 'к',
             '在', '到', '自', '从', '直到', 'عام', 'سنة', 'في', 'منذ', 'حتى')) then
        kind := 'd';
        dates := dates || ltrim(word, '0');
      else
        kind := 'n';
        numbers := numbers || case when char_length(word) > 4 and word ~ '^-?[0-9]{1,3}[.,][0-9]{3}$' then translate(word, '.,', '') else word end;
      end if;
    else
      if spaceless and ascii(word) > 12352 then
        n := (guard_starts() ->> word)::integer;
        if n is not null then
          for size in reverse least(n, cardinality(folded) - i + 1) .. 2 loop
            value := array_to_string(folded[i : i + size - 1], '');
            if guard_words() ? value or guard_trackers() ? value then
              word := value;
              i := i + size - 1;
              exit;
            end if;
          end loop;
        end if;
      end if;
      class := guard_words() ->> word;
      if class is null then
        if turkish and word ~ '(?:m[iu]yor(?:um|sun|uz|lar|du|dum)?|[aeiu]m[ae]z(?:lar|ler)?|[krtlnszypgcdv]m[ae]z(?:lar|ler)?|m[ae]di(?:m|n|k|lar|ler)?|m[ae]y[ae]n|m[ae]y[ae]c[ae]k|m[ae]d[ae]n)$' then
          negated := true;
        end if;
      else
        if strpos(class, 'turkish:') = 1 then
          class := case when turkish then substr(class, 9) else 'plain' end;
        end if;
        n := strpos(class, ':');
        value := case when n > 0 then substr(class, n + 1) end;
        main := case when n > 0 then left(class, n - 1) else class end;
        case main
          when 'german' then
            german := true;
          when 'romance' then
            romance := true;
          when 'user' then
            n := cardinality(words);
            if n > 0 and words[n] in ('der', 'die', 'dem', 'den', 'des', 'l', 'le', 'la', 'el', 'o', 'a', 'il') then
              words := trim_array(words, 1); kinds := trim_array(kinds, 1); shape := trim_array(shape, 1);
            end if;
          when 'negation' then
            if word = 'no' then
              refused := true;
            else
              negated := true;
            end if;
          when 'quantifier' then
            if value <> all (quantifiers) then
              quantifiers := quantifiers || value;
            end if;
          when 'accented' then
            if tokens[i] in ('só', 'Só') and cased and value <> all (quantifiers) then
              quantifiers := quantifiers || value;
            end if;
          when 'tense' then
            past := true;
          when 'until' then
            if array_to_string(folded[greatest(1, i - 3) : i + 2], ' ') ~ '[0-9]' then
              past := true;
            end if;
          when 'pole' then
            poles := poles || value;
          when 'number' then
            kind := 'n'; word := value;
            numbers := numbers || value;
          when 'month' then
            if before in ('n', 'd', 'r') or word not in ('may', 'march') or i > 1 and cased and ascii(tokens[i]) = 77 or folded[i + 1] ~ '^[0-9]' then
              kind := 'd'; word := 'm' || value; monthed := true;
              dates := dates || value;
            end if;
          when 'abbreviated' then
            if before in ('n', 'd', 'r') or folded[i + 1] ~ '^[0-9]' then
              kind := 'd'; word := 'm' || value; monthed := true;
              dates := dates || value;
            end if;
          when 'day' then
            kind := 'd'; word := value;
            dates := dates || value;
          when 'part' then
            if before = 'd' then
              kind := 'd'; monthed := true;
            end if;
          when 'half' then
            if before = 'd' then
              kind := 'd';
              dates := dates || value;
            end if;
          when 'rank' then
            if before in ('n', 'd') then
              before := 'r';
              continue;
            end if;
          when 'unit' then
            if before = 'n' or ascii(word) not between 97 and 122 and folded[i + 1] ~ '^[0-9]' then
              kind := 'u'; word := value;
              if value <> all (units) then
                units := units || value;
              end if;
            end if;
          else
            null;
        end case;
      end if;
      if word = 'used' and folded[i + 1] = 'to' and coalesce(last, '') not in ('is', 'are', 'am', 'be', 'get', 'gets', 'got', 'getting') then
        past := true;
      end if;
      if spaceless then
        if kind = 'w' and class is null and word ~ '^(?:[a-z]{2,}|[\u30a1-\u30fa\u30fc]{3,})$' then
          names := names || word;
        end if;
      elsif cased and kind = 'w' and tokens[i] <> word and left(tokens[i], 1) <> left(lower(tokens[i] collate pg_c_utf8), 1) and coalesce(class, '') <> 'user' and word not in ('i', 'ich') then
        if last is null then
          opened := true;
        else
          value := case when ascii(word) between 1024 and 1279 then coalesce((ts_lexize('pg_catalog.russian_stem', left(word, 100)))[1], word) else word end;
          if last in ('heisst', 'namens', 'in', 'nach', 'aus', 'frau', 'herr', 'herrn') then
            names := names || value;
          else
            capitals := capitals || value;
          end if;
        end if;
      end if;
    end if;
    continue when word = 'the';
    words := words || word;
    kinds := kinds || kind;
    if kind in ('n', 'd') then
      if before is null or before not in ('n', 'd', 'r') then
        shape := shape || '#'::text;
      end if;
    elsif kind = 'w' and before = 'n' and char_length(word) > 3 and ascii(word) < 1280 then
      shape := shape || case
        when ascii(word) < 123 then coalesce((ts_lexize('pg_catalog.english_stem', left(word, 100)))[1], word)
        else regexp_replace(coalesce((ts_lexize('pg_catalog.russian_stem', left(word, 100)))[1], word), '[ое]([кнцлр])$', '\1') end;
    else
      shape := shape || word;
    end if;
    before := kind;
    last := word;
  end loop;

  if not german then
    names := names || capitals;
  end if;
  if translate(p_text, '"“„«「『《`', '') <> p_text then
    names := names || array(select fold(m[1]) from regexp_matches(p_text, '["“„«「『《`]\s*([^"“”„«»」』》`]{1,100}?)\s*["“”»」』》`]', 'g') as m);
  end if;
  return row(words, kinds, shape, numbers, dates, units, names, opened, quantifiers, poles,
             negated or refused and not romance, past, spaceless, nullif(accents, ''))::traits;
end $$;

-- The text with its numbers, amounts, dates and times masked: equal for the states of one tracker.
create function template_of(p_text text) returns text
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$ select array_to_string((traits_of(p_text)).shape, ' ') $$;


-- Differences ---------------------------------------------------------------------------------------------------------

create function traits_differ(o traits, n traits) returns text
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
declare
  opposed  boolean := false;
  pole     text;
  head     integer := 0;
  tail     integer := 0;
  lo       integer := cardinality(o.words);
  ln       integer := cardinality(n.words);
  a        text;
  b        text;
  common   integer;
begin
  if o.poles <> '{}' and n.poles <> '{}' and o.poles <> n.poles then
    foreach pole in array o.poles loop
      if pole <> all (n.poles) and translate(pole, '+-', '-+') = any (n.poles) and translate(pole, '+-', '-+') <> all (o.poles) then
        opposed := true;
      end if;
    end loop;
  end if;
  if o.past <> n.past then
    return 'tense';
  elsif o.negated <> n.negated and not opposed then
    return 'negation';
  elsif opposed and o.negated = n.negated then
    return 'contradiction';
  elsif not (o.quantifiers <@ n.quantifiers and n.quantifiers <@ o.quantifiers) then
    return 'quantifier';
  end if;

  -- Where nothing but one place differs, that place tells.
  if o.words = n.words then
    return null;
  end if;
  if lo > 0 and ln > 0 then
    while head < least(lo, ln) and o.words[head + 1] = n.words[head + 1] loop
      head := head + 1;
    end loop;
    while tail < least(lo, ln) - head and o.words[lo - tail] = n.words[ln - tail] loop
      tail := tail + 1;
    end loop;
  end if;
  if head + tail > 0 and lo - head - tail <= 2 and ln - head - tail <= 2 then
    if lo - head - tail = 1 and ln - head - tail = 1 and o.kinds[head + 1] = 'w' and n.kinds[head + 1] = 'w' then
      a := o.words[head + 1];
      b := n.words[head + 1];
      if coalesce(guard_words() ->> a, '') = 'past' and b in ('is', 'are', 'has', 'have', 'does', 'do', 'ist', 'sind', 'hat', 'haben', 'wird', 'est', 'sont', 'a', 'ont', 'es', 'son', 'esta', 'estan', 'tiene', 'tienen',
                'e', 'sao', 'tem', 'есть', 'هو', 'هي', 'だ', 'です', 'いる', 'ある')
         or coalesce(guard_words() ->> b, '') = 'past' and a in ('is', 'are', 'has', 'have', 'does', 'do', 'ist', 'sind', 'hat', 'haben', 'wird', 'est', 'sont', 'a', 'ont', 'es', 'son', 'esta', 'estan', 'tiene', 'tienen',
                'e', 'sao', 'tem', 'есть', 'هو', 'هي', 'だ', 'です', 'いる', 'ある') then
        return 'tense';
      elsif head = 0 and o.opened and n.opened and guard_words() ->> a is null and guard_words() ->> b is null then
        return 'name';
      end if;
      common := 0;
      while common < least(char_length(a), char_length(b)) and substr(a, common + 1, 1) = substr(b, common + 1, 1) loop
        common := common + 1;
      end loop;
      if common > 1 and (a ~ '(?:ed|te|ten|ait|aient|aba|aban|ia|ian|ava|avam|iam|ou|d[iu]|t[iu]|yordu|[а-я]л[аои]?)$')
                     <> (b ~ '(?:ed|te|ten|ait|aient|aba|aban|ia|ian|ava|avam|iam|ou|d[iu]|t[iu]|yordu|[а-я]л[аои]?)$')
         and char_length(a) - common < 6 and char_length(b) - common < 6 and (common > 2 or ascii(a) between 1024 and 1279) then
        return 'tense';
      end if;
    elsif lo - head - tail = 1 and ln - head - tail = 0 and guard_words() ->> o.words[head + 1] = 'past'
       or ln - head - tail = 1 and lo - head - tail = 0 and guard_words() ->> n.words[head + 1] = 'past' then
      return 'tense';
    end if;
  end if;

  -- Names that only the one has, where the other has others.
  if o.names <> '{}' and n.names <> '{}' and not o.names <@ (n.names || n.words) and not n.names <@ (o.names || o.words)
     and exists (select from unnest(o.names) as name
                  where not exists (select from unnest(n.names || n.words) as other
                                     where name = other or ascii(name) > 12352 and (strpos(name, other) > 0 or strpos(other, name) > 0) or ascii(name) > 127 and left(name, greatest(3, char_length(name) - 3)) = left(other, greatest(3, char_length(name) - 3))))
     and exists (select from unnest(n.names) as name
                  where not exists (select from unnest(o.names || o.words) as other
                                     where name = other or ascii(name) > 12352 and (strpos(name, other) > 0 or strpos(other, name) > 0) or ascii(name) > 127 and left(name, greatest(3, char_length(name) - 3)) = left(other, greatest(3, char_length(name) - 3)))) then
    return 'name';
  end if;
  if not (o.units <@ n.units and n.units <@ o.units) and (cardinality(o.units) > 0 and cardinality(n.units) > 0) then
    return 'unit';
  elsif not (o.dates <@ n.dates and n.dates <@ o.dates) and (cardinality(o.dates) > 0 and cardinality(n.dates) > 0)
        and not (o.dates <@ n.dates or n.dates <@ o.dates) then
    return 'date';
  elsif not (o.numbers <@ n.numbers and n.numbers <@ o.numbers) then
    return 'number';
  elsif o.dates <> n.dates and lo = ln and not (o.dates <@ n.dates and n.dates <@ o.dates) then
    return 'date';
  end if;
  return null;
end $$;

-- How two texts differ, where that can be told: number, date, unit, name, negation, quantifier, tense, contradiction; or null.
-- Null is no promise that they say the same.
create function differs(p_old text, p_new text) returns text
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$ select traits_differ(traits_of(p_old), traits_of(p_new)) $$;

-- Whether the one is a later state of what the other says, their shapes being equal: `tracker`; `other` where the number says
-- which one is meant; `doubtful`.
create function traits_track(o traits, n traits) returns text
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
declare
  known    jsonb := guard_trackers();
  cue      boolean := false;
  head     boolean := false;
  state    boolean := false;
  have     boolean := false;
  counted  boolean;
  person   boolean := false;
  event    boolean := false;
  moved    boolean := false;                            -- a quantity did
  dated    boolean := false;
  size     integer := cardinality(o.words);
  word     text;
  at       integer;
  entry    jsonb;
begin
  if size <> cardinality(n.words) then
    return 'doubtful';
  end if;
  for i in 1 .. size loop
    entry := known -> o.words[i];
    if o.words[i] ~ '[а-я]{2}л(?:[аои]|ся|ась|ось|ись)?$' and entry is null
       or i > size - 3 and o.words[i] in ('た', '了', '过', '過', 'ました')
       or i = size and o.words[i] ~ '[a-z]{3}[dt][iu]$' and entry is null then
      event := true;
    end if;
    if guard_words() ->> o.words[i] = 'user' then
      person := true;
    end if;
    if entry is not null then
      cue := cue or entry ? 'cue';
      head := head or entry ? 'head';
      state := state or entry ? 'state' and ascii(o.words[i]) > 1023;
      have := have or entry ? 'have' or o.words[i] in ('有', 'いる', 'います', 'ある', 'あります');
    end if;
  end loop;
  if o.words[1] = 'as' and o.words[2] = 'of' or o.words[1] in ('au', 'stand') and o.kinds[2] <> 'w' then
    cue := true;
  end if;
  if o.words[size] = 'var' or o.words[1] in ('у', 'в', 'на') then
    state := true;
  end if;

  for i in 1 .. size loop
    continue when o.words[i] = n.words[i];
    if o.kinds[i] <> n.kinds[i] then
      return 'doubtful';
    elsif o.kinds[i] = 'd' then
      dated := true;
      continue;
    elsif o.kinds[i] <> 'n' then
      continue;                                         -- the counted noun, in another form: the shapes are equal
    end if;
    at := i - 1;
    while at > 0 and known -> o.words[at] ? 'filler' and not coalesce(known -> o.words[at] ? 'have', false) loop
      at := at - 1;
    end loop;
    word := case when at > 0 then o.words[at] end;
    entry := known -> o.words[i + 1];
    counted := coalesce(o.kinds[i + 1] = 'u' or entry ? 'counted', false);
    if i > 1 and o.kinds[i - 1] = 'w' and char_length(o.words[i - 1]) < 4 and o.words[i - 1] = any (o.names) then
      return 'other';                                   -- BA 117
    elsif o.words[i] ~ '^0[0-9]|[0-9][-/][0-9]|^[0-9]{7,}$|[a-z]|\..*\.' or n.words[i] ~ '^0[0-9]|[0-9][-/][0-9]|^[0-9]{7,}$|[a-z]|\..*\.' then
      return 'other';
    elsif coalesce(entry ? 'named' and not counted, false) or i > 1 and coalesce(known -> o.words[i - 1] ? 'named', false)
          and not coalesce(known -> o.words[i - 1] ? 'progress', false) and not head then
      return 'other';
    end if;
    if exists (select from unnest(o.words[1:i]) as earlier where known -> earlier ? 'relative' and earlier not in ('der', 'die', '的'))
       or i > 1 and o.words[i - 1] in ('der', 'die') or o.words[i + 2] in ('の', '的') and o.words[i + 1] in ('y') or o.words[i + 1] = 'y' and have then
      return 'doubtful';
    elsif event and not cue then
      return 'doubtful';
    elsif exists (select from unnest(o.words[1:at]) as earlier where known -> earlier ? 'named' and not coalesce(known -> earlier ? 'counted', false)
                                                                  and not coalesce(known -> earlier ? 'head', false)) and not counted then
      return 'doubtful';                                -- a code or a number that something has
    end if;
    if word is not null and coalesce(known -> word ? 'progress', false) then
      moved := true;                                    -- on page 120
    elsif word is not null and (coalesce(known -> word ? 'state', false) or coalesce(known -> word ? 'have', false)) then
      if o.words[i - 1] in ('at', 'to', 'a', 'um', 'auf', 'bei', 'de', 'en', 'con', 'com', 'على', 'الى') and o.words[i - 1] <> word and not counted and char_length(o.words[i]) < 3 and not head and not cue then
        return 'doubtful';                              -- is at 9: may be a time
      elsif person and coalesce(known -> word ? 'have', false) and not cue and o.kinds[i + 1] is distinct from 'u'
            and least(char_length(o.words[i]), char_length(n.words[i])) < 3 then
        return 'doubtful';                              -- two cats, three cats
      end if;
      if o.kinds[i + 1] = 'u' and o.words[i + 1] = 'y' and coalesce(guard_words() ->> o.words[at - 1] <> 'user', true) then
        return 'doubtful';                              -- a son of 3 and a son of 5
      elsif i = size and not head and not cue and not coalesce(known -> word ? 'have', false) then
        return 'doubtful';                              -- a locker is 12: a number, and of nothing
      end if;
      moved := true;
    elsif person and have and not cue and least(char_length(o.words[i]), char_length(n.words[i])) < 3 and (state or head) and not head then
      return 'doubtful';
    elsif head and (counted or i = size or at > 0 and o.kinds[i + 1] = 'w' and state) then
      moved := true;
    elsif (state or cue) and (counted or o.kinds[i + 1] = 'w' and 'var' = o.words[size]) then
      moved := true;
    elsif counted and o.kinds[i + 1] = 'w' and (at = 0 or ascii(o.words[1]) between 1024 and 1279) then
      moved := true;                                    -- 14 tickets are open
    else
      return 'doubtful';
    end if;
  end loop;
  if dated and not cue then
    return 'doubtful';
  end if;
  return case when moved or dated then 'tracker' else 'doubtful' end;
end $$;


-- The decision --------------------------------------------------------------------------------------------------------

-- The same as near_duplicate, of texts that were read already: a save reads its own once, for all candidates.
create function traits_decide(o traits, n traits, p_similarity double precision, p_trigram double precision, p_threshold double precision)
returns jsonb
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
declare
  alike      constant double precision := 0.60;         -- with so many trigrams in common
  nearer     constant double precision := 0.15;         -- the cosine may be less by this
  difference text := traits_differ(o, n);
  decision   text := 'none';
  rule       text;
  size       integer := cardinality(o.words);
begin
  if difference is null then
    if o.words = n.words and o.accents is not distinct from n.accents and size > 0 then
      decision := 'merge'; rule := 'words';
    elsif size = cardinality(n.words) and size > 3 and not o.spaceless and o.names = n.names and o.numbers = n.numbers and o.dates = n.dates
          and not o.negated and o.quantifiers = '{}' and not o.past
          and char_length(o.accents) is not distinct from char_length(n.accents)
          and exists (select from generate_series(1, size - 1) as at where o.words[at + 1 :] || o.words[: at] = n.words) then
      decision := 'merge'; rule := 'order';
    elsif p_similarity >= p_threshold or p_trigram >= alike and coalesce(p_similarity, 1) >= p_threshold - nearer then
      decision := 'propose'; rule := 'meaning';
    end if;
  elsif difference in ('number', 'date') and o.shape = n.shape then
    case traits_track(o, n)
      when 'tracker' then decision := 'supersede'; rule := 'tracker';
      when 'doubtful' then decision := 'propose'; rule := 'template';
      else null;
    end case;
  end if;
  return jsonb_build_object('decision', decision, 'rule', coalesce(rule, difference, 'distance'), 'similarity', p_similarity,
                            'trigram', p_trigram, 'threshold', p_threshold);
end $$;

-- What a text is to one that is there: {"decision", "rule", "similarity", "trigram", "threshold"}.
--   merge      it says the same in the same words: `words`, or with a phrase at the other end (`order`)
--   supersede  it is a later state of the same tracker: `tracker`
--   propose    it may say the same (`meaning`), or be a later state (`template`): for a judge, or a person
--   none       another memory; the rule is the class in which they differ, or `distance`
-- The threshold is the cosine from which two texts are proposed; what is merged or superseded doesn't depend on it.
create function near_duplicate(p_old text, p_new text, p_similarity double precision, p_threshold double precision default 0.75)
returns jsonb
language plpgsql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
begin
  return traits_decide(traits_of(p_old), traits_of(p_new), p_similarity, round((1 - (p_old <-> p_new))::numeric, 3)::double precision, p_threshold);
end $$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
